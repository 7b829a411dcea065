package io.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.Bytes;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;

/**
 * The annotation as a user writes it; that it fails when it should is {@link CrashTestFailsTest}'s.
 */
class CrashTestAnnotationTest {

  private static final Set<String> POINTS = new TreeSet<>();
  private static int undisturbed;

  @CrashTest(points = 40, states = 30)
  void acknowledgedRecordsSurvive(Storage storage, CrashControl crash) {
    POINTS.add(crash.point().toString());
    undisturbed += crash.isUndisturbed() ? 1 : 0;
    List<Long> acknowledged = new ArrayList<>();
    crash.run(
        () -> {
          try (ToyLog log = new ToyLog(storage, EnumSet.noneOf(ToyLog.Bug.class))) {
            for (long key = 1; key <= 4; key++) {
              log.append(key);
              acknowledged.add(key);
            }
          }
        });
    crash.check(
        machine -> {
          try (ToyLog log = new ToyLog(machine.storage(), EnumSet.noneOf(ToyLog.Bug.class))) {
            assertThat(log.keys().subList(0, acknowledged.size())).isEqualTo(acknowledged);
            assertThat(log.keys()).hasSizeBetween(acknowledged.size(), 4);
          }
        });
  }

  @CrashTest(
      points = 5,
      preemptOneIn = 2,
      kinds = CrashKind.KILL,
      units = CrashUnit.WORD,
      recoveryPoints = 0)
  void programsWithThreadsAreScheduled(
      SimulatedDisk disk, Execution execution, Storage storage, CrashControl crash) {
    Bytes.durable(storage, "words", 4096, 0);
    long[] returned = new long[1];
    crash.run(
        () -> {
          Region words = disk.storage().mapShared("words", 4096);
          Thread adder =
              execution.start(
                  "adder",
                  () -> {
                    for (int i = 0; i < 5; i++) {
                      words.getAndAddLong(0, 1);
                      returned[0]++;
                    }
                  });
          disk.storage().createDirectory("d");
          while (adder.isAlive()) {
            execution.parkNanos(words, 1000);
          }
        });
    crash.check(
        machine ->
            assertThat(machine.storage().mapShared("words", 4096).getLong(0))
                .isBetween(returned[0], returned[0] + 1));
  }

  @AfterAll
  static void itDiedAtManyPoints() {
    if (System.getProperty(CrashReplay.PROPERTY) == null) {
      assertThat(POINTS).hasSizeGreaterThan(20).contains("END", "OPERATION-2-BEFORE");
      assertThat(undisturbed).isEqualTo(3);
    }
  }
}
