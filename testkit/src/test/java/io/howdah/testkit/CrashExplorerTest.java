package io.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.Region;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.ToyLog.Bug;
import io.howdah.testkit.crash.Crash;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.crash.CrashReplay;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.disk.Bytes;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The explorer passes the right program and catches each planted bug. */
@Timeout(120)
class CrashExplorerTest {

  /** Of the states of each crash one in so many is tried. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 5);

  private static CrashExplorer explorer() {
    return CrashExplorer.seeded(3)
        .kinds(CrashKind.KILL, CrashKind.POWER_CUT, CrashKind.FILE_SYSTEM_SHUTDOWN);
  }

  private static Supplier<CrashScenario> log(Bug... bugs) {
    Set<Bug> set = EnumSet.noneOf(Bug.class);
    set.addAll(Set.of(bugs));
    return () -> new ToyLogScenario(set);
  }

  @Tag("scaled")
  @Test
  void theRightLogPassesInEveryState() {
    CrashReport report = explorer().states(50 / STRIDE).recoveries(3, 3).explore(log());
    assertThat(report.points()).isGreaterThan(100);
    assertThat(report.states()).isGreaterThan(10_000 / STRIDE);
    assertThat(report.crashesInRecovery()).isGreaterThan(5_000 / STRIDE);
  }

  @ParameterizedTest
  @EnumSource(value = Bug.class, mode = EnumSource.Mode.EXCLUDE, names = "FORCE_RETRIED")
  void aPlantedBugIsCaughtAndReplayed(Bug bug) {
    CrashTestFailure failure =
        catchThrowableOfType(
            CrashTestFailure.class, () -> explorer().recoveries(0, 0).explore(log(bug)));
    assertThat(failure).as("%s not caught", bug).isNotNull();
    assertThat(failure).hasMessageContaining("-Dhowdah.crash.replay=3/");

    CrashReplay replay = CrashReplay.parse(failure.replay().toString());
    assertThatThrownBy(() -> explorer().replay(replay, log(bug)))
        .isInstanceOf(CrashTestFailure.class)
        .hasMessage(failure.getMessage());
  }

  @Test
  void theSystemPropertyHasOneCrashOnly() {
    CrashTestFailure failure =
        catchThrowableOfType(
            CrashTestFailure.class,
            () -> explorer().recoveries(0, 0).explore(log(Bug.NO_CHECKSUM)));
    assertThat(failure).hasMessageContaining("lost: log/data");
    System.setProperty(CrashReplay.PROPERTY, failure.replay().toString());
    try {
      assertThatThrownBy(() -> explorer().explore(log(Bug.NO_CHECKSUM)))
          .isInstanceOf(CrashTestFailure.class)
          .hasMessage(failure.getMessage());
      assertThat(explorer().explore(log()).states()).isOne();
    } finally {
      System.clearProperty(CrashReplay.PROPERTY);
    }
  }

  @Test
  void everyFaultIsSurvived() {
    CrashReport report = faults().explore(log());
    assertThat(report.points()).isGreaterThan(150);
  }

  private static CrashExplorer faults() {
    return explorer()
        .failedForce(FailedForce.UNKNOWN_UNTIL_REWRITTEN)
        .points(0)
        .faults(1000)
        .states(30)
        .recoveries(0, 0);
  }

  @Test
  void aFailedForceThatIsTriedAgainIsCaught() {
    CrashTestFailure failure =
        catchThrowableOfType(
            CrashTestFailure.class, () -> faults().explore(log(Bug.FORCE_RETRIED)));
    assertThat(failure).hasMessageContaining("acknowledged records");
    assertThat(failure.replay().first().point().where()).isEqualTo(CrashPoint.Where.FAULT);
    assertThatThrownBy(() -> faults().replay(failure.replay(), log(Bug.FORCE_RETRIED)))
        .isInstanceOf(CrashTestFailure.class)
        .hasMessage(failure.getMessage());
  }

  @Test
  void aFaultThatBecomesAnUntypedFailureIsCaught() {
    CrashScenario careless =
        new CrashScenario() {
          @Override
          public void work(Machine machine) {
            try (StorageFile file = machine.storage().create("f")) {
              file.write(0, Bytes.filled(8192, 1));
            } catch (StorageException e) {
              throw new IllegalStateException("something went wrong", e.getCause());
            }
          }

          @Override
          public void check(Machine machine) {}
        };
    for (CrashPoint.Where where :
        new CrashPoint.Where[] {
          CrashPoint.Where.FAULT, CrashPoint.Where.FAULTS, CrashPoint.Where.FULL
        }) {
      CrashPoint point = new CrashPoint(where, 2, CrashMoment.BEFORE);
      Crash crash = new Crash(point, CrashKind.KILL, CrashChoice.KEEP_ALL);
      CrashReplay replay = new CrashReplay(3, CrashUnit.PAGE, crash, null);
      assertThatThrownBy(() -> faults().replay(replay, () -> careless))
          .isInstanceOf(CrashTestFailure.class)
          .hasMessageContaining("something went wrong");
    }
  }

  /** A program whose recovery is not repeatable: it shows only if the recovery dies. */
  private static final class DeletesBeforeItCopies implements CrashScenario {
    private final boolean right;

    DeletesBeforeItCopies(boolean right) {
      this.right = right;
    }

    @Override
    public void prepare(Machine machine) {
      Bytes.durable(machine.storage(), "journal", 512, 7);
    }

    @Override
    public void work(Machine machine) {
      machine.storage().exists("journal");
    }

    @Override
    public void check(Machine machine) {
      var storage = machine.storage();
      if (!storage.exists("image")) {
        assertThat(storage.exists("journal")).isTrue();
        if (!right) {
          storage.delete("journal");
          storage.forceDirectory("");
        }
        try (StorageFile image = storage.create("image-new")) {
          image.write(0, Bytes.filled(512, 7));
          image.force();
        }
        storage.rename("image-new", "image");
        storage.forceDirectory("");
        storage.delete("journal");
      }
      assertThat(machine.disk().contents("image")).isEqualTo(Bytes.array(512, 7));
    }
  }

  @Test
  void aRecoveryThatCannotBeRepeatedIsCaught() {
    explorer().recoveries(0, 0).explore(() -> new DeletesBeforeItCopies(false));
    CrashTestFailure failure =
        catchThrowableOfType(
            CrashTestFailure.class,
            () -> explorer().recoveries(50, 10).explore(() -> new DeletesBeforeItCopies(false)));
    assertThat(failure.replay().second()).isNotNull();
    assertThatThrownBy(
            () -> explorer().replay(failure.replay(), () -> new DeletesBeforeItCopies(false)))
        .isInstanceOf(CrashTestFailure.class);
  }

  /** A ring that one thread fills in shared memory while another one watches. */
  private static final class RingScenario implements CrashScenario {
    private static final int TAIL = 0;
    private static final int RECORDS = 512;
    private final boolean tailFirst;
    private long returned;

    RingScenario(boolean tailFirst) {
      this.tailFirst = tailFirst;
    }

    @Override
    public void prepare(Machine machine) {
      Bytes.durable(machine.storage(), "ring", 4096, 0);
    }

    @Override
    public void work(Machine machine) {
      Region ring = machine.storage().mapShared("ring", 4096);
      SimulatedExecution execution = machine.execution();
      Thread watcher =
          execution.spawn(
              "watcher",
              () -> {
                while (ring.getLongAcquire(TAIL) < 20) {
                  execution.parkNanos(this, 1000);
                }
              });
      for (long n = 1; n <= 20; n++) {
        if (tailFirst) {
          ring.setLongRelease(TAIL, n);
          ring.setLong(RECORDS + 8 * n, n * 7);
        } else {
          ring.setLong(RECORDS + 8 * n, n * 7);
          ring.setLongRelease(TAIL, n);
        }
        returned = n;
      }
      execution.join(watcher);
    }

    @Override
    public void check(Machine machine) {
      Region ring = machine.storage().mapShared("ring", 4096);
      long tail = ring.getLong(TAIL);
      if (!machine.mayHaveLostUnforced()) {
        assertThat(tail).isGreaterThanOrEqualTo(returned);
        for (long n = 1; n <= tail; n++) {
          assertThat(ring.getLong(RECORDS + 8 * n)).as("record %s", n).isEqualTo(n * 7);
        }
      }
    }
  }

  @Test
  void killsBetweenAnyTwoStoresOfThreads() {
    CrashExplorer kills =
        CrashExplorer.seeded(1)
            .units(CrashUnit.WORD)
            .kinds(CrashKind.KILL)
            .scheduled(seed -> Schedule.random(seed, 3))
            .stores(100)
            .steps(200);
    CrashReport report = kills.explore(() -> new RingScenario(false));
    assertThat(report.points()).isGreaterThan(100);
    assertThatThrownBy(() -> kills.explore(() -> new RingScenario(true)))
        .isInstanceOf(CrashTestFailure.class)
        .hasMessageContaining("STORE-");
    assertThatThrownBy(() -> kills.stores(0).explore(() -> new RingScenario(true)))
        .isInstanceOf(CrashTestFailure.class)
        .hasMessageContaining("STEP-");
  }

  @Test
  void aProgramThatFailsWithoutACrashIsTold() {
    CrashScenario broken =
        new CrashScenario() {
          @Override
          public void work(Machine machine) {
            throw new IllegalStateException("broken anyway");
          }

          @Override
          public void check(Machine machine) {}
        };
    assertThatThrownBy(() -> explorer().explore(() -> broken))
        .isInstanceOf(CrashTestFailure.class)
        .hasMessageContaining("broken anyway");
  }

  @Test
  void aProgramThatIsNotDeterministicIsTold() {
    int[] runs = new int[1];
    CrashScenario moody =
        new CrashScenario() {
          @Override
          public void work(Machine machine) {
            int operations = runs[0]++ == 0 ? 10 : 3;
            for (int i = 0; i < operations; i++) {
              machine.storage().createDirectory("d" + i);
            }
          }

          @Override
          public void check(Machine machine) {}
        };
    assertThatThrownBy(() -> explorer().explore(() -> moody))
        .isInstanceOf(CrashTestFailure.class)
        .hasMessageContaining("not deterministic");
  }

  @Test
  void aReplayIsReadBackFromItsText() {
    CrashReplay replay =
        new CrashReplay(
            -7,
            CrashUnit.PAGE,
            new Crash(
                new CrashPoint(CrashPoint.Where.STORE, 12, CrashMoment.MIDDLE),
                CrashKind.POWER_CUT,
                new CrashChoice(-7, 4711)),
            new Crash(CrashPoint.END, CrashKind.KILL, CrashChoice.KEEP_ALL));
    assertThat(CrashReplay.parse(replay.toString())).isEqualTo(replay);
    for (String wrong :
        new String[] {"", "1", "1/SECTOR", "1/SECTOR/x", "1/SECTOR/END", "1/2/3/4/5"}) {
      assertThatThrownBy(() -> CrashReplay.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
