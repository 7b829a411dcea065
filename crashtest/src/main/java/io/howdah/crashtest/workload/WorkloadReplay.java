package io.howdah.crashtest.workload;

import io.howdah.testkit.crash.Crash;
import io.howdah.testkit.crash.CrashUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A crash of a workload and those of the recoveries that follow: text such as {@code
 * SECTOR/OPERATION-17-MIDDLE:POWER_CUT:7.5/OPERATION-3-BEFORE:KILL}.
 */
record WorkloadReplay(CrashUnit unit, List<Crash> crashes) {

  WorkloadReplay {
    crashes = List.copyOf(crashes);
  }

  WorkloadReplay with(Crash next) {
    List<Crash> more = new ArrayList<>(crashes);
    more.add(next);
    return new WorkloadReplay(unit, more);
  }

  static WorkloadReplay parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length < 2) {
      throw new IllegalArgumentException("not a replay of a workload: \"" + text + "\"");
    }
    return new WorkloadReplay(
        CrashUnit.valueOf(parts[0]), Arrays.stream(parts).skip(1).map(Crash::parse).toList());
  }

  @Override
  public String toString() {
    return unit + "/" + crashes.stream().map(Crash::toString).collect(Collectors.joining("/"));
  }
}
