package io.howdah.lab.fuzz;

import io.howdah.crashtest.fuzz.FuzzTarget;
import io.howdah.crashtest.fuzz.StoreFilesTarget;
import io.howdah.crashtest.fuzz.TraceTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** All targets, by name; made when they are asked for. */
public final class FuzzTargets {

  private static final Map<String, Supplier<FuzzTarget>> ALL = new TreeMap<>();

  static {
    ALL.put("memcached", ProtocolTarget::new);
    ALL.put("store-files", StoreFilesTarget::ofKilledStore);
    ALL.put("backup-files", StoreFilesTarget::ofBackup);
    ALL.put("trace", TraceTarget::new);
    for (String format : List.of("csv", "tsv", "jsonl")) {
      ALL.put(format, () -> new RowsTarget(format));
    }
  }

  private FuzzTargets() {}

  /** Returns their names. */
  public static List<String> names() {
    return new ArrayList<>(ALL.keySet());
  }

  /**
   * Makes one.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  public static FuzzTarget named(String name) {
    Supplier<FuzzTarget> target = ALL.get(name);
    if (target == null) {
      throw new IllegalArgumentException(
          "no fuzz target is called " + name + "; there are: " + String.join(", ", names()));
    }
    return target.get();
  }
}
