package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.log.commit.Lsn;
import io.howdah.log.recovery.HandMadeLog.Outcome;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The log's recovery with rings: what makes them count, and what makes them not. */
class RingRecoveryTest {

  private SimulatedDisk disk;
  private HandMadeLog log;

  @BeforeEach
  void emptyDisk() {
    disk = SimulatedDisk.seeded(9);
    log = HandMadeLog.on(disk.storage());
  }

  private void inStore(boolean inStore) {
    log.placement =
        inStore ? new RingPlacement.StoreDirectory(HandMadeLog.NONCE) : log.volatilePlacement();
  }

  /** One forced commit, three that only the rings hold. */
  private void usual() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(1, 2).commit(2, 3, Lsn.pack(2, 1), 800, 3).commit(0, 4);
    log.rings();
  }

  private Storage place() {
    return log.placement instanceof RingPlacement.StoreDirectory
        ? log.storage
        : log.storage.volatilePlace(log.volatilePlacement().name(), false, 0).orElseThrow();
  }

  private String name(int partition) {
    return (log.placement instanceof RingPlacement.StoreDirectory ? "rings/" : "") + partition;
  }

  /** Changes a ring, header checksum included. */
  private void tamper(int partition, Consumer<ByteBuffer> change) {
    ByteBuffer bytes =
        ByteBuffer.allocateDirect((int) (RingLayout.HEADER_LENGTH + log.ringBytes))
            .order(ByteOrder.LITTLE_ENDIAN);
    try (StorageFile file = place().open(name(partition), Storage.Access.READ_WRITE)) {
      file.read(0, bytes);
      change.accept(bytes);
      bytes.putInt(RingLayout.CRC_OFFSET, Crc32c.of(bytes, 0, RingLayout.CRC_OFFSET));
      file.write(0, bytes.clear());
    }
  }

  private static ClosedGeneration closed(Outcome outcome) {
    return Objects.requireNonNull(outcome.log().closed());
  }

  private static String untrusted(Outcome outcome) {
    assertThat(outcome.log().rings()).isInstanceOf(RingTrust.Untrusted.class);
    return ((RingTrust.Untrusted) outcome.log().rings()).reason();
  }

  private String refused(Consumer<ByteBuffer> change) {
    emptyDisk();
    usual();
    tamper(1, change);
    return forcedOnly();
  }

  private String forcedOnly() {
    Outcome outcome = log.recover();
    assertThat(outcome.words()).isEqualTo(log.replayUpTo(1));
    assertThat(outcome.log().outcome()).isEqualTo(new RecoveryOutcome.AfterPowerCut(1, 0, 0, 0));
    return untrusted(outcome);
  }

  // ---- trusted

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatOnlyRingsHoldSurvives(boolean inStore) {
    inStore(inStore);
    usual();
    Outcome outcome = log.recover();
    assertThat(outcome.words()).isEqualTo(log.replayUpTo(4));
    assertThat(outcome.log().outcome()).isEqualTo(new RecoveryOutcome.AfterKill(4, 0));
    assertThat(outcome.log().rings()).isEqualTo(new RingTrust.Trusted(3, 3 * 48));
    assertThat(outcome.log().baseLsn()).isEqualTo(4);
  }

  @Test
  void aHoleIsAVoidAndEverythingPublishedStays() {
    log.segment();
    log.announce(0, 0).commit(1, 2).commit(2, 3, Lsn.pack(2, 1), 800, 3);
    log.rings();
    Outcome outcome = log.recover();
    assertThat(outcome.log().outcome()).isEqualTo(new RecoveryOutcome.AfterKill(3, 1));
    assertThat(outcome.words()).isEqualTo(log.replayOf(List.of(2L, 3L)));
    // The record says so for ever; nothing says that LSN 1 is missing.
    assertThat(closed(outcome).cut()).isEqualTo(3);
  }

  @Test
  void aHoleThatNoLaneExplainsMakesTheRingsWorthless() {
    log.segment();
    log.commit(1, 2);
    log.rings();
    Outcome outcome = log.recover();
    assertThat(untrusted(outcome)).contains("LSNs from 1 to 1");
    assertThat(outcome.words()).isEmpty();
    assertThat(outcome.log().baseLsn()).isZero();
  }

  @Test
  void relogingMakesRingsUnneeded() {
    usual();
    Outcome first = log.recover();
    assertThat(closed(first).lastBatch()).isEqualTo(2L);
    // The same again, rings still there: nothing is written twice.
    Outcome again = log.recover();
    assertThat(again.log().rings()).isEqualTo(new RingTrust.Trusted(0, 0));
    assertThat(again.log().closed()).isEqualTo(first.log().closed());
    // Now with a power cut that takes all that is not forced, rings among them.
    disk.powerCut(CrashChoice.LOSE_ALL);
    HandMadeLog left = reopened();
    Outcome cut = left.recover();
    assertThat(cut.words()).isEqualTo(log.replayUpTo(4));
    assertThat(cut.log().outcome()).isEqualTo(new RecoveryOutcome.AfterPowerCut(4, 0, 0, 0));
  }

  private HandMadeLog reopened() {
    HandMadeLog left = new HandMadeLog(disk.storage(), log.partitions, log.ringBytes);
    left.byLsn.putAll(log.byLsn);
    left.placement = log.placement;
    return left;
  }

  @Test
  void manyRingsAreRelogedInManyBatches() {
    HandMadeLog wide = new HandMadeLog(disk.storage(), 200, RingLayout.MIN_CAPACITY);
    wide.segment();
    long lsn = 0;
    for (int p = 0; p < 200; p++) {
      while (wide.published(p) < 60_000) {
        wide.run(p, ++lsn, 8 * (lsn % 1000), 300);
      }
    }
    wide.rings();
    Outcome first = wide.recover();
    assertThat(first.words()).isEqualTo(wide.replayUpTo(lsn));
    assertThat(closed(first).lastBatch()).isGreaterThan(1);
    Outcome again = wide.recover();
    assertThat(again.words()).isEqualTo(first.words());
    assertThat(again.log().rings()).isEqualTo(new RingTrust.Trusted(0, 0));
  }

  @Test
  void ringsAreReadAcrossTheirEnd() {
    log.segment();
    long lsn = 0;
    for (int i = 0; i < 7; i++) {
      log.run(1, ++lsn, 0, 1200);
      if (i == 5) {
        log.batch(lsn, 0);
      }
    }
    // Position 57984 of 65536: the last record wraps.
    log.rings();
    assertThat(log.recover().words()).isEqualTo(log.replayUpTo(7));
  }

  @Test
  void whatIsForcedButNotFreedYetCountsOnce() {
    log.segment();
    log.commit(0, 1).commit(0, 2);
    log.batch(2, 0);
    log.keepInRing(0, 48).commit(0, 3);
    log.rings();
    Outcome outcome = log.recover();
    assertThat(outcome.order()).containsExactly(1001L, 1002L, 1003L);
    assertThat(outcome.log().rings()).isEqualTo(new RingTrust.Trusted(1, 48));
  }

  @Test
  void partsInTheLogAndTheirCommitInTheRingBelongTogether() {
    log.segment();
    log.part(1, 1, 0, 800, 1);
    log.batch(0, 0);
    log.part(1, 1, 1, 808, 2).multipartCommit(1, 1, 1, 2, 816, 3);
    log.rings();
    assertThat(log.recover().words()).containsEntry(800L, 1L).containsEntry(808L, 2L);
    assertThat(log.recover().words()).hasSize(3);
  }

  // ---- not trusted

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneMissingRingMakesAllWorthless(boolean inStore) {
    inStore(inStore);
    usual();
    place().delete(name(2));
    assertThat(forcedOnly()).contains("is missing");
  }

  /** To open without it would lose commits that had returned. */
  @ParameterizedTest
  @EnumSource(names = {"OPEN", "READ"})
  void aRingThatCannotBeReadIsNotMissing(Operation operation) {
    inStore(true);
    usual();
    disk.inject(Fault.onNth(operation, 2).in("rings/"));
    assertThat(catchThrowableOfType(StorageException.class, log::recover))
        .hasMessageContaining("rings/1");
    assertThat(log.recover().words()).isEqualTo(log.replayUpTo(4));
  }

  @Test
  void aVanishedPlaceIsNoProof() {
    usual();
    disk.replaceContainer();
    log = reopened();
    assertThat(forcedOnly()).contains("gone");
  }

  @Test
  void ringsOfAnotherBootDoNotCount() {
    inStore(true);
    usual();
    disk.powerCut(CrashChoice.KEEP_ALL);
    log = reopened();
    assertThat(forcedOnly()).contains("restarted");
  }

  @Test
  void copiedRingsDoNotCount() {
    inStore(true);
    usual();
    ByteBuffer bytes = ByteBuffer.allocateDirect((int) (4096 + log.ringBytes));
    try (StorageFile file = log.storage.open("rings/1", Storage.Access.READ)) {
      file.read(0, bytes);
    }
    log.storage.delete("rings/1");
    try (StorageFile file = log.storage.create("rings/1")) {
      file.write(0, bytes.flip());
    }
    assertThat(forcedOnly()).contains("copy");
  }

  @Test
  void ringsOfAnotherOpeningOrShapeDoNotCount() {
    assertThat(refused(r -> r.putLong(RingLayout.NONCE_OFFSET, 1))).contains("another store");
    assertThat(refused(r -> r.putLong(RingLayout.GENERATION_OFFSET, 2))).contains("another store");
    assertThat(refused(r -> r.putLong(RingLayout.STORE_ID_LOW_OFFSET, 2)))
        .contains("another store");
    assertThat(refused(r -> r.putInt(RingLayout.PARTITION_OFFSET, 2))).contains("partition");
    assertThat(refused(r -> r.putInt(RingLayout.VERSION_OFFSET, RingLayout.VERSION - 1)))
        .contains("version");
    assertThat(refused(r -> r.putLong(RingLayout.CAPACITY_OFFSET, 1 << 17))).contains("capacity");
    assertThat(refused(r -> r.putLong(RingLayout.MAGIC_OFFSET, 0))).contains("damaged");
  }

  @Test
  void positionsThatAreNoneDoNotCount() {
    for (long tail : new long[] {-8, 4, 1L << 40, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
      assertThat(refused(r -> r.putLong(RingLayout.TAIL_OFFSET, tail))).contains("positions");
    }
    for (long forced : new long[] {-8, 4, 1L << 40, Long.MIN_VALUE}) {
      assertThat(refused(r -> r.putLong(RingLayout.FORCED_OFFSET, forced))).contains("positions");
    }
    assertThat(refused(r -> r.putLong(RingLayout.INFLIGHT_OFFSET, -1))).contains("announcement");
  }

  @Test
  void everyFlippedBitOfARecordIsNoticed() {
    for (int at = 0; at < 48; at++) {
      int byteAt = at;
      String reason =
          refused(
              r ->
                  r.put(
                      RingLayout.HEADER_LENGTH + byteAt,
                      (byte) (r.get(RingLayout.HEADER_LENGTH + byteAt) ^ 4)));
      assertThat(reason).contains("position 0");
    }
  }

  @Test
  void aTailWithinARecordIsNoticed() {
    for (long tail = 8; tail < 48; tail += 8) {
      long end = tail;
      assertThat(refused(r -> r.putLong(RingLayout.TAIL_OFFSET, end))).contains("position 0");
    }
    assertThat(refused(r -> r.putLong(RingLayout.TAIL_OFFSET, 56))).contains("position 48");
  }

  @Test
  void aTruncatedRingDoesNotCount() {
    usual();
    try (StorageFile file = place().open(name(1), Storage.Access.READ_WRITE)) {
      file.setSize(RingLayout.HEADER_LENGTH + log.ringBytes - 8);
    }
    assertThat(forcedOnly()).contains("truncated");
  }

  @Test
  void aRingThatEndsBeforeTheLogIsAnOldOne() {
    log.segment();
    log.commit(1, 1);
    log.rings();
    log.batch(1, 0);
    Outcome outcome = log.recover();
    assertThat(outcome.words()).isEqualTo(log.replayUpTo(1));
    assertThat(outcome.log().rings()).isEqualTo(new RingTrust.Trusted(0, 0));
    tamper(1, r -> r.putLong(RingLayout.TAIL_OFFSET, 0));
    assertThat(forcedOnly()).contains("ends at position 0");
  }

  @Test
  void aRingThatSaysMoreWasForcedProvesDamage() {
    String segment = log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(0, 2);
    int last = log.batch(2, 1);
    log.commit(1, 3);
    log.rings();
    disk.flipBit(segment, last + 100, 0);
    CorruptStoreException e = catchThrowableOfType(CorruptStoreException.class, log::recover);
    assertThat(e).hasMessageContaining("was forced up to position 96");
    // Without the rings nobody can know: the last batch looks torn.
    place().delete(name(0));
    assertThat(log.recover().words()).isEqualTo(log.replayUpTo(1));
  }

  @Test
  void recordsThatDoNotContinueTheLogDoNotCount() {
    log.segment();
    log.commit(0, 5);
    log.batch(0, 0);
    log.commit(0, 4);
    log.rings();
    Outcome outcome = log.recover();
    assertThat(untrusted(outcome)).contains("do not continue");
    // LSN 5 lies beyond the cut and depends on nothing.
    assertThat(outcome.words()).isEqualTo(log.replayOf(List.of(5L)));
  }

  @Test
  void nobodyCanHaveReadWhatWasNeverReleased() {
    log.segment();
    log.announce(0, 0).commit(1, 2, Lsn.pack(1, 0), 800, 2);
    log.rings();
    assertThat(untrusted(log.recover())).contains("depends on LSN 1");
  }
}
