package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.util.ArrayList;
import java.util.List;
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

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void theStoreCrashes(CrashMoment moment) {
    boolean ended = false;
    for (int operation = OperationSample.first(moment);
        !ended;
        operation += OperationSample.STRIDE) {
      SimulatedDisk disk = disk(operation);
      SimulatedDisk place = disk(operation + 1);
      disk.crashAtOperation(operation, moment);
      ArchiveScript script = new ArchiveScript();
      try (Store store = ArchiveTest.open(disk, place)) {
        script.run(store);
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(disk.hasCrashed()).as("operation %d: %s", operation, e).isTrue();
      }
      ended = !disk.hasCrashed();
      long archived = script.requireRestored(place, LSN_STRIDE);
      for (SimulatedDisk left : ended ? List.<SimulatedDisk>of() : left(disk)) {
        try (Store again = Store.open(ArchiveTest.OPTIONS.withStorage(left.storage()))) {
          script.requireRecovered(ArchiveTest.words(again), archived);
        }
      }
    }
  }

  /** A process that was killed leaves what it has not forced, until the place loses power. */
  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void thePlaceLosesPowerAfterTheNextRun(CrashMoment moment) {
    boolean ended = false;
    for (int operation = OperationSample.first(moment); !ended; operation++) {
      SimulatedDisk disk = disk(operation);
      SimulatedDisk place = disk(operation + 1);
      place.crashAtOperation(operation, moment);
      ArchiveScript script = new ArchiveScript();
      try (Store store = ArchiveTest.open(disk, place)) {
        script.put(store, 1, 1);
        script.update(store);
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(place.hasCrashed()).as("operation %d: %s", operation, e).isTrue();
      }
      ended = !place.hasCrashed();
      SimulatedDisk left = killed(place);
      try (Store store = ArchiveTest.open(disk, left)) {
        script.put(store, 2, 2);
        script.update(store);
      }
      left.powerCut(CrashChoice.LOSE_ALL);
      script.requireRestored(left, 1);
    }
  }

  /** The second opening's base refers to the first one's. */
  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void thePlaceCrashesWhileABaseIsCompared(CrashMoment moment) {
    boolean ended = false;
    for (int operation = OperationSample.first(moment);
        !ended;
        operation += OperationSample.STRIDE) {
      SimulatedDisk disk = disk(operation);
      SimulatedDisk place = disk(operation + 1);
      ArchiveScript script = new ArchiveScript();
      try (Store store = ArchiveTest.open(disk, place)) {
        script.run(store);
      }
      place.crashAtOperation(place.operations() + operation, moment);
      try (Store store = ArchiveTest.open(disk, place)) {
        script.run(store);
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(place.hasCrashed()).as("operation %d: %s", operation, e).isTrue();
      }
      ended = !place.hasCrashed();
      for (SimulatedDisk left : ended ? List.of(killed(place)) : left(place)) {
        script.requireRestored(left, LSN_STRIDE);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void thePlaceCrashes(CrashMoment moment) {
    boolean ended = false;
    for (int operation = OperationSample.first(moment);
        !ended;
        operation += OperationSample.STRIDE) {
      SimulatedDisk disk = disk(operation);
      SimulatedDisk place = disk(operation + 1);
      place.crashAtOperation(operation, moment);
      ArchiveScript script = new ArchiveScript();
      try (Store store = ArchiveTest.open(disk, place)) {
        try {
          script.run(store);
        } catch (RuntimeException | SimulatedCrash e) {
          assertThat(place.hasCrashed()).as("operation %d: %s", operation, e).isTrue();
        }
        script.put(store, 50, 50); // the store goes on
        assertThat(ArchiveTest.words(store)).isEqualTo(script.now());
      }
      ended = !place.hasCrashed();
      for (SimulatedDisk left : ended ? List.of(killed(place)) : left(place)) {
        script.requireRestored(left, LSN_STRIDE);
      }
    }
  }
}
