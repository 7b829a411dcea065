package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.LoggedStore;
import io.howdah.LoggedStore.Found;
import io.howdah.StoreOptions;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What commits leave in the rings. */
@Timeout(120)
final class RedoRecordsTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withPartitions(4).withRingBytes(1 << 16).withOrecs(1 << 12);

  @Test
  void aRecordHoldsTheWriteSetWithNeighboursTogether() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      long lsn =
          logged.commitThrough(
              2,
              tx -> {
                tx.putLong(8192, 1);
                tx.putLong(8200, 2);
                tx.putLong(8208, 3);
                tx.putLong(16384, 4);
                tx.putLong(8200, 5); // the last value counts
                tx.putLong(16376, 6); // before its neighbour: an entry of its own
              });
      Found record = logged.records(2).getFirst();
      assertThat(record.kind()).isEqualTo(RedoRecordLayout.KIND_COMMIT);
      assertThat(record.lsn()).isEqualTo(Lsn.pack(lsn, 2));
      assertThat(record.words())
          .containsExactlyInAnyOrderEntriesOf(
              Map.of(8192L, 1L, 8200L, 5L, 8208L, 3L, 16384L, 4L, 16376L, 6L));
      assertThat(record.entries()).isEqualTo(3);
      assertThat(record.lengthBytes()).isEqualTo(RedoRecordLayout.MIN_LENGTH + (3 + 5) * 8);
    }
  }

  @Test
  void replayingTheRecordsInLsnOrderGivesTheRegion() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < 400; i++) {
        logged.commitThrough(
            random.nextInt(4),
            tx -> {
              for (int k = random.nextInt(6); k >= 0; k--) {
                tx.putLong(8192 + 8L * random.nextInt(200), random.nextLong());
              }
            });
      }
      SortedMap<Long, Found> all = logged.allByLsn();
      long expected = 1;
      Map<Long, Long> words = new HashMap<>();
      for (Found record : all.values()) {
        assertThat(Lsn.dense(record.lsn())).isEqualTo(expected++); // no hole
        assertThat(Lsn.partition(record.lsn())).isEqualTo(record.partition());
        words.putAll(record.words());
      }
      words.forEach(
          (address, value) -> assertThat(logged.region.getLong(address)).isEqualTo(value));
    }
  }

  @Test
  void readOnlyTransactionsLeaveNothing() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      int before = logged.allByLsn().size();
      logged.store.read(tx -> tx.getLong(8192));
      logged.store.run(tx -> tx.getLong(8192));
      assertThat(logged.allByLsn()).hasSize(before);
    }
  }

  // ---- Dependencies (docs/protocol.md, R8).

  /** Keeps the stable LSN where it is, as a commit in another lane does that never ends. */
  private static Lane holdStable(LoggedStore logged) {
    logged.store.run(tx -> tx.putLong(8192, 1)); // SYNC: all before is stable
    Lane lane = logged.log.lanes().lease(3, 0, 0);
    assertThat(lane.partition()).isEqualTo(3);
    assertThat(logged.log.lanes().spinForAppendLock(lane, 64)).isTrue();
    lane.announce();
    return lane;
  }

  /** The lane is busy, so a transaction can be steered among the other three only. */
  private static Found commitThrough(
      LoggedStore logged, int partition, TxBody<RuntimeException> body) {
    List<Lane> others = logged.leaseOthers(partition);
    try {
      logged.store.run(TxOptions.async(), body);
    } finally {
      others.forEach(Lane::endLease);
    }
    return logged.records(partition).getLast();
  }

  @Test
  void aCommitDependsOnWhatItReadFromAnotherPartition() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      Lane held = holdStable(logged);
      Found a = commitThrough(logged, 0, tx -> tx.putLong(8192, 1));
      assertThat(a.dep()).isZero();
      Found own = commitThrough(logged, 0, tx -> tx.putLong(16384, tx.getLong(8192)));
      assertThat(own.dep()).as("read from its own partition").isZero();
      Found other = commitThrough(logged, 1, tx -> tx.putLong(32768, tx.getLong(8192)));
      assertThat(other.dep()).as("read from another partition").isEqualTo(a.lsn());
      Found later = commitThrough(logged, 1, tx -> tx.putLong(65536, 1));
      assertThat(later.dep()).as("inherited from the record before").isEqualTo(a.lsn());
      held.finish();
    }
  }

  @Test
  void aCommitDependsOnWhatItOverwritesUnread() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      Lane held = holdStable(logged);
      Found a = commitThrough(logged, 0, tx -> tx.putLong(8192, 1));
      Found b = commitThrough(logged, 1, tx -> tx.putLong(8192, 2));
      assertThat(b.dep()).isEqualTo(a.lsn());
      held.finish();
    }
  }

  /** What is local, and so no dependency, is decided by the lane given, not by the home lane. */
  @Test
  void theDependencyFollowsTheLaneThatWasGiven() {
    for (int partition = 0; partition < 3; partition++) {
      try (LoggedStore logged = new LoggedStore(OPTIONS)) {
        Lane held = holdStable(logged);
        Found first = commitThrough(logged, 0, tx -> tx.putLong(8192, 1));
        Found second = commitThrough(logged, 1, tx -> tx.putLong(16384, 1));
        Found third = commitThrough(logged, 1, tx -> tx.putLong(24576, 1));
        Found last =
            commitThrough(
                logged,
                partition,
                tx -> {
                  long sum = tx.getLong(24576) + tx.getLong(8192) + tx.getLong(16384);
                  tx.putLong(32768, sum);
                });
        assertThat(last.dep())
            .as("given lane %d", partition)
            .isEqualTo(partition == 1 ? first.lsn() : third.lsn());
        assertThat(third.lsn()).isGreaterThan(second.lsn());
        held.finish();
      }
    }
  }

  @Test
  void whatIsStableIsNoDependency() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      Found a = commitThrough(logged, 0, tx -> tx.putLong(8192, 1));
      logged.store.durability().awaitStable(Lsn.dense(a.lsn()));
      Found b = commitThrough(logged, 1, tx -> tx.putLong(16384, tx.getLong(8192)));
      assertThat(b.dep()).isZero();
    }
  }

  // ---- Parts.

  @Test
  void aLargeTransactionGoesInPartsAndItsCommitNamesThem() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      int words = 3000;
      logged.commitThrough(
          0,
          tx -> {
            for (int i = 0; i < words; i++) {
              tx.putLong(8192 + 16L * i, i);
            }
          });
      List<Found> records = logged.records(0).stream().filter(r -> r.kind() > 2).toList();
      assertThat(records).hasSize(3);
      Map<Long, Long> all = new HashMap<>();
      for (int i = 0; i < records.size(); i++) {
        Found record = records.get(i);
        assertThat(record.lengthBytes()).isLessThanOrEqualTo((1 << 16) / 4);
        all.putAll(record.words());
        if (i < records.size() - 1) {
          assertThat(record.kind()).isEqualTo(RedoRecordLayout.KIND_PART);
          assertThat(record.lsn()).as("group").isEqualTo(records.getLast().group());
          assertThat(record.dep()).as("index").isEqualTo(i);
        } else {
          assertThat(record.kind()).isEqualTo(RedoRecordLayout.KIND_MULTIPART_COMMIT);
          assertThat(record.parts()).isEqualTo(i);
        }
      }
      assertThat(all).hasSize(words);
      for (int i = 0; i < words; i++) {
        assertThat(all).containsEntry(8192 + 16L * i, (long) i);
        assertThat(logged.region.getLong(8192 + 16L * i)).isEqualTo(i);
      }
      assertThat(logged.store.admin().stats().multipartCommits()).isEqualTo(1);
    }
  }

  @Test
  void theLongestRecordThatFitsIsNotMultipart() {
    int most = ((1 << 14) - RedoRecordLayout.MIN_LENGTH) / 16;
    for (int words : new int[] {most, most + 1}) {
      try (LoggedStore logged = new LoggedStore(OPTIONS)) {
        logged.store.run(
            tx -> {
              for (int i = 0; i < words; i++) {
                tx.putLong(8192 + 16L * i, i);
              }
            });
        assertThat(logged.store.admin().stats().multipartCommits()).isEqualTo(words - most);
      }
    }
  }

  @Test
  void aTransactionManyTimesLargerThanItsRingWaitsForRoom() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      int words = 60_000; // 960 KiB of entries through a ring of 64 KiB
      long lsn =
          logged.store.run(
              tx -> {
                for (int i = 0; i < words; i++) {
                  tx.putLong(8192 + 16L * i, i);
                }
              });
      assertThat(logged.store.durability().isStable(lsn)).isTrue();
      for (int i = 0; i < words; i++) {
        assertThat(logged.region.getLong(8192 + 16L * i)).isEqualTo(i);
      }
    }
  }

  @Test
  void aMultipartTransactionThatLostOnceRunsIrrevocably() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      int[] runs = {0};
      logged.store.run(
          tx -> {
            long seen = tx.getLong(8192);
            if (++runs[0] == 1) {
              logged.store.run(other -> other.putLong(8192, 7));
            }
            for (int i = 0; i < 3000; i++) {
              tx.putLong(16384 + 16L * i, seen);
            }
          });
      assertThat(runs[0]).isEqualTo(2);
      assertThat(logged.region.getLong(16384)).isEqualTo(7);
      assertThat(logged.store.admin().stats().irrevocableTransactions()).isEqualTo(1);
      assertThat(logged.store.admin().stats().voids()).isEqualTo(1);
    }
  }
}
