package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a check says of a store that nothing is wrong with, but that opening it changes. */
final class CheckRemarksTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  private static final String LOST_RINGS =
      "the rings of the process that had the store open cannot be used";
  private static final String TORN =
      "bytes at the end of the log that no commit was acknowledged by";

  private final SimulatedDisk disk = SimulatedDisk.seeded(11);

  /** Several pages, so that half of a batch is not all of its records. */
  private static void put(Store store, long value) {
    store.run(
        TxOptions.sync(),
        tx -> {
          for (int i = 0; i < 1000; i++) {
            tx.putLong(8192 + 8L * i, value);
          }
        });
  }

  private static CheckReport check(SimulatedDisk disk, String directory) {
    return StoreBackups.check(disk.storage(directory), OPTIONS.execution());
  }

  @Test
  void aKilledStoreHasNothingToRemark() {
    put(Store.open(OPTIONS.withStorage(disk.storage())), 1);
    disk.kill();
    CheckReport report = check(disk, "");
    assertThat(report.remarks()).isEmpty();
    assertThat(report.closed()).isFalse();
    assertThat(report.lsn()).isPositive();
  }

  /** A backup says that it has no rings, and it never had any. */
  @Test
  void aBackupHasNothingToRemark() {
    disk.storage().createDirectory("store");
    disk.storage().createDirectory("backup");
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage("store")))) {
      put(store, 1);
      store.admin().backup(() -> disk.storage("backup"));
    }
    assertThat(check(disk, "backup").remarks()).isEmpty();
    assertThat(check(disk, "backup").closed()).isFalse();
  }

  @Test
  void ringsThatAPowerCutHasTakenAreRemarkedOn() {
    put(Store.open(OPTIONS.withStorage(disk.storage())), 1);
    disk.powerCut(CrashChoice.KEEP_ALL);
    assertThat(check(disk, "").remarks())
        .hasSize(1)
        .allSatisfy(remark -> assertThat(remark).contains(LOST_RINGS));
  }

  /** Each moment of a commit: only a batch whose write was cut short is discarded. */
  @Test
  void whatWasCutShortAtTheEndOfTheLogIsRemarkedOn() {
    List<Integer> torn = new ArrayList<>();
    boolean isOver = false;
    for (int operation = 1; !isOver; operation++) {
      SimulatedDisk own = SimulatedDisk.seeded(11);
      Store store = Store.open(OPTIONS.withStorage(own.storage()));
      put(store, 1);
      long before = own.operations();
      own.crashAtOperation(before + operation, CrashMoment.MIDDLE);
      try {
        put(store, 2);
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(own.hasCrashed()).as("%s", e).isTrue();
      }
      isOver = !own.hasCrashed() || operation == 10;
      own.powerCut(CrashChoice.KEEP_ALL);
      List<String> remarks = check(own, "").remarks();
      assertThat(remarks.getFirst()).contains(LOST_RINGS);
      assertThat(remarks.subList(1, remarks.size()))
          .allSatisfy(remark -> assertThat(remark).contains(TORN));
      if (remarks.size() > 1) {
        torn.add(operation);
        assertThat(remarks.getLast()).contains("discards 0 commits and").doesNotContain(" 0 bytes");
      }
    }
    assertThat(torn).isNotEmpty();
  }
}
