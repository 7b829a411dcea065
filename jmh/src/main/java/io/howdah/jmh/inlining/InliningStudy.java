package io.howdah.jmh.inlining;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.study.Effort;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.workload.SixWords;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the compiler makes of the {@link HotPath hot paths} of six random words, in a program that
 * also has transactions with many writes. These need the engine's slow paths often, so the compiler
 * would like to inline them everywhere. For one thread, in a JVM that has not used a store before.
 */
public final class InliningStudy {

  private static final long HEAP_BYTES = 16L << 20;
  private static final int MANY_WORDS = 1000;
  private static final int MANY_TIMES = 200;
  private static final String PROGRAM = "SixWords$Transactions";

  private InliningStudy() {}

  /**
   * What came out.
   *
   * @param path judged
   * @param verdicts of its calls
   */
  public record PathResult(HotPath path, List<HotCall.Verdict> verdicts) {}

  /**
   * A body of the program as it was compiled.
   *
   * @param name as {@code Class.method}
   * @param codeBytes of machine code
   * @param inlined how many calls became a part of it
   */
  public record Body(String name, long codeBytes, int inlined) {}

  /** All of it. */
  public record Result(List<PathResult> paths, List<Body> bodies) {}

  /**
   * Runs the programs and judges.
   *
   * @param folder for a store
   * @param effort for each of the two programs
   */
  public static Result run(Path folder, Effort effort, StudyProgress progress) throws Exception {
    Files.createDirectories(folder);
    StoreOptions options =
        StoreOptions.defaults().withMaxSize(SixWords.maxSize(HEAP_BYTES) + (1L << 20));
    try (CompilerLog log = new CompilerLog();
        Store store = Store.open(folder.resolve("store"), options)) {
      progress.begins("filling");
      SixWords words = SixWords.fill(store, HEAP_BYTES);
      long many = store.call(TxOptions.async(), tx -> tx.allocate((long) MANY_WORDS * Long.BYTES));
      for (int round = 0; round < effort.rounds(); round++) {
        progress.begins("round %d of %d".formatted(round + 1, effort.rounds()));
        for (int i = 0; i < MANY_TIMES; i++) {
          writeMany(store, many);
        }
        for (SixWords.Style style : SixWords.Style.values()) {
          words.run(Durability.ASYNC, style, 1, effort.roundNanos());
        }
      }
      return judge(log.units(folder));
    }
  }

  private static void writeMany(Store store, long block) {
    store.run(
        TxOptions.async(),
        tx -> {
          for (int i = 0; i < MANY_WORDS; i++) {
            long address = block + (long) i * Long.BYTES;
            tx.putLong(address, tx.getLong(address) + 1);
          }
          for (int i = 0; i < MANY_WORDS; i++) {
            long address = block + (long) i * Long.BYTES;
            tx.putLong(address, tx.getLong(address) + 1); // found among what it has written
          }
        });
  }

  private static Result judge(List<CompilerLog.Unit> units) {
    List<Decision> decisions = new ArrayList<>();
    List<Body> bodies = new ArrayList<>();
    for (CompilerLog.Unit unit : units) {
      decisions.addAll(unit.decisions());
      if (unit.name().startsWith(PROGRAM)) {
        int inlined = (int) unit.decisions().stream().filter(Decision::isInlined).count();
        bodies.add(new Body(unit.name(), unit.codeBytes(), inlined));
      }
    }
    List<PathResult> paths = new ArrayList<>();
    for (HotPath path : HotPath.values()) {
      paths.add(new PathResult(path, path.judge(PROGRAM, decisions)));
    }
    return new Result(paths, bodies);
  }
}
