package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Openings that use the memory of the process before, and are killed themselves at each operation
 * and at each store to memory that outlives the process.
 */
@Tag("scaled")
class SharedMemoryDeathsTest extends SharedMemoryStore {

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void anOpeningMayDieAtEachOperation(CrashMoment moment) {
    Store first = filled();
    first.admin().checkpoint();
    put(first, 9, 99);
    kill(first);
    SimulatedDisk killed = disk;
    int attached = 0;
    boolean hasDied = true;
    for (int n = OperationSample.first(moment); hasDied; n += OperationSample.STRIDE) {
      disk = killed.fork();
      disk.crashAtOperation(disk.operations() + n, moment);
      hasDied = dies();
      attached += openedAgain(99) ? 1 : 0;
    }
    assertThat(attached).isPositive();
  }

  /** Leaves memory in which some words of a commit are missing that has published its record. */
  private void killInACommit() {
    SimulatedDisk empty = disk;
    for (int n = 1; ; n++) {
      disk = empty.fork();
      Store store = filled();
      disk.crashAtStore(disk.stores() + n, CrashMoment.AFTER);
      try {
        store.run(
            tx -> {
              for (int i = 0; i < WORDS; i += 100) {
                tx.putLong(tx.root(0) + i * 8L, 99);
              }
              tx.putLong(tx.root(0) + 9 * 8L, 99);
            });
      } catch (SimulatedCrash | RuntimeException e) {
        // The process has died here, or in a thread of the store, which the commit may not notice.
      }
      assertThat(disk.hasCrashed()).isTrue();
      kill(store);
      SimulatedDisk killed = disk;
      disk = killed.fork();
      try (Store again = open()) {
        if (origin(again) instanceof MemoryOrigin.Attached a && a.redoneRecords() > 0) {
          assertThat(words(again).get(9)).isEqualTo(99);
          disk = killed;
          return;
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void anOpeningMayDieAtEachStore(CrashMoment moment) {
    killInACommit();
    SimulatedDisk killed = disk;
    int attached = 0;
    boolean hasDied = true;
    for (int n = 1; hasDied; n++) {
      disk = killed.fork();
      disk.crashAtStore(disk.stores() + n, moment);
      hasDied = dies();
      attached += openedAgain(99) ? 1 : 0;
    }
    assertThat(attached).isPositive();
  }

  private boolean dies() {
    try (Store _ = open()) {
      return false;
    } catch (SimulatedCrash e) {
      return true;
    } catch (RuntimeException e) {
      return disk.hasCrashed();
    }
  }

  /** Opens the store twice, and returns whether the first opening used the memory. */
  private boolean openedAgain(long expected) {
    disk.kill();
    Store store = open();
    boolean attached = origin(store) instanceof MemoryOrigin.Attached;
    assertThat(words(store).get(9)).isEqualTo(expected);
    put(store, 10, 100);
    kill(store);
    try (Store last = open()) {
      assertThat(words(last).get(9)).isEqualTo(expected);
      assertThat(words(last).get(10)).isEqualTo(100);
    }
    return attached;
  }
}
