package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.Storage;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.testkit.CrashExplorer;
import io.howdah.testkit.CrashReport;
import io.howdah.testkit.CrashScenario;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A short life of a store that dies at every operation that changes the disk, comes back in every
 * legal state, and dies again in its recovery.
 */
@Tag("scaled")
class CrashedStoreTest {

  private static final long CELLS = 8192;

  /** At how many operations the store dies, for each unit of a disk. */
  private static final int POINTS = Integer.getInteger("howdah.points", 2);

  /**
   * Opens after a kill that left forced commits, unforced ones and a hole; commits; closes cleanly;
   * opens again and commits. Every commit writes its number to a cell of its own and to a shared
   * word.
   */
  private static final class Scenario implements CrashScenario {
    private final HandStore.Setup setup;
    private final boolean killsOnly;
    private long nonce = 100;
    private long number;
    private long acknowledged;
    private long newestLsn;
    private long returned;

    // What an opening saw: commits up to here stay, or never come back, for ever.
    private final List<Long> kept = new ArrayList<>();
    private final List<Long> gone = new ArrayList<>();

    Scenario(boolean ringsInStore, long checkpointAboveBytes, boolean killsOnly) {
      this.setup = new HandStore.Setup(2, ringsInStore, checkpointAboveBytes);
      this.killsOnly = killsOnly;
    }

    @Override
    public void prepare(Machine machine) {
      HandStore.create(machine.storage(), setup);
      HandStore store = open(machine.storage());
      commit(store, 0);
      commit(store, 1);
      flush(store);
      // A committer that takes an LSN and is never heard of again.
      store.log.lane(0).announce();
      store.log.lane(0).takeLsn();
      commit(store, 1);
      flush(store);
      commit(store, 1);
    }

    @Override
    public void work(Machine machine) {
      HandStore store = open(machine.storage());
      settle(store);
      for (int i = 0; i < 4; i++) {
        commit(store, i % 2);
        if (i % 2 == 0) {
          flush(store);
        }
      }
      store.closeCleanly();
      acknowledged = number;
      store = open(machine.storage());
      settle(store);
      commit(store, 0);
      flush(store);
      commit(store, 1);
    }

    private HandStore open(Storage storage) {
      return HandStore.open(storage, new SoloExecution(), setup, nonce++);
    }

    private void commit(HandStore store, int lane) {
      long mine = number + 1;
      Lane through = store.log.lane(lane);
      assertThat(store.log.tryLease(lane)).isTrue();
      through.announce();
      long lsn = through.takeLsn();
      int length = RedoRecordLayout.MIN_LENGTH + 4 * Long.BYTES;
      // Each depends on the one before, through the shared word.
      long before = newestLsn;
      newestLsn = lsn;
      boolean isDependent = Lsn.partition(before) != lane && Lsn.dense(before) > store.log.stable();
      through.begin(
          RedoRecordLayout.KIND_COMMIT,
          length,
          2,
          lsn,
          through.dependency(isDependent ? before : 0));
      through.put(RedoRecordLayout.entryHead(4096, 1));
      through.put(mine);
      through.put(RedoRecordLayout.entryHead(CELLS + mine * 8, 1));
      through.put(mine);
      number = mine;
      through.publish();
      store.store(4096, mine);
      store.store(CELLS + mine * 8, mine);
      through.finish();
      returned = mine;
    }

    private void flush(HandStore store) {
      long upTo = returned;
      boolean whole = !store.log.isLeased(0);
      store.log.flush();
      if (whole) {
        acknowledged = upTo;
      }
    }

    private void settle(HandStore store) {
      for (long n = 1; n <= number; n++) {
        (store.region().getLong(CELLS + n * 8) == n ? kept : gone).add(n);
      }
    }

    @Override
    public void check(Machine machine) {
      HandStore store = open(machine.storage());
      long last = 0;
      for (long n = 1; n <= number + 3; n++) {
        long word = store.region().getLong(CELLS + n * 8);
        assertThat(word).isIn(0L, n);
        if (word == n) {
          last = n;
          assertThat(n).as("commit nobody made").isLessThanOrEqualTo(number);
          assertThat(gone).as("discarded commit").doesNotContain(n);
        }
        if (n <= acknowledged || kept.contains(n) || (killsOnly && n <= returned)) {
          assertThat(word)
              .as("commit %s of %s, acknowledged %s", n, number, acknowledged)
              .isEqualTo(n);
        }
      }
      assertThat(store.region().getLong(4096)).isEqualTo(last);
      // It works on, and what it does now survives the next kill.
      long value = 0x5EED;
      store.log.tryLease(0);
      Lane lane = store.log.lane(0);
      lane.announce();
      long lsn = lane.takeLsn();
      lane.begin(RedoRecordLayout.KIND_COMMIT, RedoRecordLayout.MIN_LENGTH + 16, 1, lsn, 0);
      lane.put(RedoRecordLayout.entryHead(4104, 1));
      lane.put(value);
      lane.publish();
      lane.finish();
    }
  }

  private static CrashReport explore(
      boolean ringsInStore, long checkpointAboveBytes, CrashKind first, CrashKind... more) {
    boolean killsOnly = first == CrashKind.KILL && more.length == 0;
    return CrashExplorer.seeded(11)
        .kinds(first, more)
        .points(POINTS)
        .states(Math.min(4, POINTS))
        .recoveries(2, 2)
        .explore(() -> new Scenario(ringsInStore, checkpointAboveBytes, killsOnly));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1L << 40})
  void everyCrashOfEveryKindKeepsThePromises(long checkpointAboveBytes) {
    CrashReport report =
        explore(
            false,
            checkpointAboveBytes,
            CrashKind.KILL,
            CrashKind.POWER_CUT,
            CrashKind.FILE_SYSTEM_SHUTDOWN,
            CrashKind.CONTAINER_REPLACED);
    assertThat(report.crashesInRecovery()).isGreaterThan(POINTS < 4 ? 200 : 500);
  }

  @Test
  void killsAloneLoseNothingThatReturned() {
    explore(false, 0, CrashKind.KILL);
    explore(true, 1L << 40, CrashKind.KILL);
  }

  @Test
  void ringsInTheStoreAreOfNoUseAfterAPowerCut() {
    explore(true, 0, CrashKind.POWER_CUT, CrashKind.KILL);
  }
}
