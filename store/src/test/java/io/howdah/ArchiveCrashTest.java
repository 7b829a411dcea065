package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A store with an archive, of which one side crashes at each of its file operations. What the
 * archive tells can be restored, LSN by LSN; it has all that it had when it was brought up to date
 * the last time; and the store has all that the archive has.
 */
@Tag("scaled")
class ArchiveCrashTest {

  private static final int LSN_STRIDE = 7;

  /** Each operation takes several openings, and each restore another. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 17);

  private static SimulatedDisk disk(long seed) {
    return SimulatedDisk.builder(seed).unit(CrashUnit.SECTOR).build();
  }

  /** The files of one side after each kind of crash. */
  private static List<SimulatedDisk> left(SimulatedDisk crashed) {
    List<SimulatedDisk> left = new ArrayList<>();
    List<CrashChoice> choices = new ArrayList<>(crashed.crashStates().choices(2));
    choices.add(CrashChoice.LOSE_ALL);
    for (CrashChoice choice : choices) {
      SimulatedDisk cut = crashed.fork();
      cut.powerCut(choice);
      left.add(cut);
    }
    left.add(killed(crashed));
    return left;
  }

  private static SimulatedDisk killed(SimulatedDisk disk) {
    SimulatedDisk killed = disk.fork();
    killed.kill();
    return killed;
  }

  /** Two sides, of which one crashes at an operation. */
  private static final class Run {
    final int operation;
    final SimulatedDisk disk;
    final SimulatedDisk place;
    final ArchiveScript script = new ArchiveScript();

    Run(int operation) {
      this.operation = operation;
      this.disk = disk(operation);
      this.place = disk(operation + 1);
    }

    /** Opens the store, and does something with it that may end in the crash of one side. */
    void open(SimulatedDisk crashing, Consumer<Store> action) {
      try (Store store = ArchiveTest.open(disk, place)) {
        action.accept(store);
      } catch (RuntimeException | SimulatedCrash e) {
        requireCrashed(crashing, e);
      }
    }

    void requireCrashed(SimulatedDisk crashing, Throwable thrown) {
      assertThat(crashing.hasCrashed()).as("operation %d: %s", operation, thrown).isTrue();
    }

    /** Judges what is left of the place. */
    void judgePlace() {
      for (SimulatedDisk left : place.hasCrashed() ? left(place) : List.of(killed(place))) {
        script.requireRestored(left, LSN_STRIDE);
      }
    }
  }

  /**
   * Repeats a run with a later operation until it ends without a crash.
   *
   * @param run returns the disk that was to crash
   */
  private static void atOperations(
      CrashMoment moment, int stride, Function<Run, SimulatedDisk> run) {
    int operation = OperationSample.first(moment);
    while (run.apply(new Run(operation)).hasCrashed()) {
      operation += stride;
    }
  }

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void theStoreCrashes(CrashMoment moment) {
    atOperations(
        moment,
        STRIDE,
        run -> {
          run.disk.crashAtOperation(run.operation, moment);
          run.open(run.disk, run.script::run);
          long archived = run.script.requireRestored(run.place, LSN_STRIDE);
          for (SimulatedDisk left :
              run.disk.hasCrashed() ? left(run.disk) : List.<SimulatedDisk>of()) {
            try (Store again = Store.open(ArchiveTest.OPTIONS.withStorage(left.storage()))) {
              run.script.requireRecovered(ArchiveTest.words(again), archived);
            }
          }
          return run.disk;
        });
  }

  /** A process that was killed leaves what it has not forced, until the place loses power. */
  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void thePlaceLosesPowerAfterTheNextRun(CrashMoment moment) {
    atOperations(
        moment,
        1,
        run -> {
          run.place.crashAtOperation(run.operation, moment);
          run.open(
              run.place,
              store -> {
                run.script.put(store, 1, 1);
                run.script.update(store);
              });
          SimulatedDisk left = killed(run.place);
          try (Store store = ArchiveTest.open(run.disk, left)) {
            run.script.put(store, 2, 2);
            run.script.update(store);
          }
          left.powerCut(CrashChoice.LOSE_ALL);
          run.script.requireRestored(left, 1);
          return run.place;
        });
  }

  /** The second opening's base refers to the first one's. */
  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void thePlaceCrashesWhileABaseIsCompared(CrashMoment moment) {
    atOperations(
        moment,
        STRIDE,
        run -> {
          try (Store store = ArchiveTest.open(run.disk, run.place)) {
            run.script.run(store);
          }
          run.place.crashAtOperation(run.place.operations() + run.operation, moment);
          run.open(run.place, run.script::run);
          run.judgePlace();
          return run.place;
        });
  }

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void thePlaceCrashes(CrashMoment moment) {
    atOperations(
        moment,
        STRIDE,
        run -> {
          run.place.crashAtOperation(run.operation, moment);
          try (Store store = ArchiveTest.open(run.disk, run.place)) {
            try {
              run.script.run(store);
            } catch (RuntimeException | SimulatedCrash e) {
              run.requireCrashed(run.place, e);
            }
            run.script.put(store, 50, 50); // the store goes on
            assertThat(ArchiveTest.words(store)).isEqualTo(run.script.now());
          }
          run.judgePlace();
          return run.place;
        });
  }
}
