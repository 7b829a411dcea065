package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.stm.LoggedEngine.Found;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What commits leave in the rings, and what they name as their dependency. */
final class LoggedCommitTest {

  private static final long ROW = WORD + 4096;
  private static final long FAR = WORD + (1 << 18);
  private static final int PARTITIONS = LoggedEngine.PARTITIONS;

  private static final int SHORT = 256;

  private static void assertLost(AbortCause cause, LoggedEngine engine, TxContext context) {
    assertThatThrownBy(() -> engine.commit(context))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(cause));
  }

  // ---- Records.

  /** Words and a row; short enough to be put together before the LSN is known, or longer. */
  @ParameterizedTest
  @CsvSource({"3, 6", "3, 108", "3, 200", "6, 6", "6, 108", "6, 109", "6, 110", "6, 111", "6, 200"})
  void aRecordHasAllWords(int lanes, int rowWords) {
    try (LoggedEngine engine = new LoggedEngine(lanes)) {
      TxContext other = engine.context();
      TxContext context = engine.context();
      engine.put(other, FAR, 1);
      context.begin(false);
      Map<Long, Long> words = new HashMap<>();
      for (long address : new long[] {WORD, WORD + 8, WORD + 64, WORD + 16, WORD + 512}) {
        context.put(address, address + 1);
        words.put(address, address + 1);
      }
      long[] row = new long[rowWords];
      for (int i = 0; i < rowWords; i++) {
        row[i] = 5L + i;
        words.put(ROW + 8L * i, 5L + i);
      }
      context.putWords(ROW, row, rowWords);
      assertThat(engine.commit(context)).isEqualTo(2);
      Found found = engine.records(1).getFirst();
      assertThat(found.kind()).isEqualTo(RedoRecordLayout.KIND_COMMIT);
      assertThat(found.lsn()).isEqualTo(Lsn.pack(2, 1));
      assertThat(found.dep()).isZero();
      assertThat(found.words()).containsExactlyInAnyOrderEntriesOf(words);
      assertThat(context.recordPartition()).isEqualTo(1);
      assertThat(context.recordEnd()).isEqualTo(engine.ring(1).tail());
      assertThat(context.recordDependency()).isZero();
      words.forEach(
          (address, value) -> assertThat(engine.region.getLong(address)).isEqualTo(value));
      assertThat(LoggedEngine.count(context, Counters.COMMITS)).isEqualTo(1);
      assertThat(LoggedEngine.count(context, Counters.PARTED_COMMITS)).isZero();
    }
  }

  /**
   * While the words are stored the record is published, their ownership records are locked, and a
   * checkpoint knows that the commit has not left. Another lane may append already.
   */
  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void wordsAreStoredBehindTheRecordAndBeforeTheCommitHasLeft(int lanes) {
    try (LoggedEngine engine = new LoggedEngine(lanes)) {
      TxContext context = engine.context();
      long begun = context.progress.begun;
      List<Integer> seen = new ArrayList<>();
      engine.onStore =
          () -> {
            seen.add(context.progress.stage);
            assertThat(engine.records(0)).hasSize(1);
            assertThat(OrecTable.isLocked(engine.orecs.getOpaque(engine.orecs.of(WORD)))).isTrue();
            assertThat(engine.lanes.hasLeft(1)).isFalse();
            assertThat(engine.lanes.hasLeft(0)).isTrue();
            if (lanes > PARTITIONS) {
              Lane other = Objects.requireNonNull(engine.lanes.lease(3, 64, 0));
              assertThat(other.partition()).isZero();
              assertThat(engine.lanes.tryAppend(other, 64)).isTrue();
              engine.lanes.giveBack(other);
            }
          };
      assertThat(engine.put(context, WORD, 1)).isEqualTo(1);
      assertThat(seen).containsExactly(CommitProgress.PUBLISHED);
      assertThat(engine.lanes.hasLeft(1)).isTrue();
      assertThat(context.progress.begun).isEqualTo(begun + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void aCommitThatHasTakenItsLsnInVainLeavesAVoid(int lanes) {
    try (LoggedEngine engine = new LoggedEngine(lanes)) {
      TxContext other = engine.context();
      TxContext context = engine.context();
      context.begin(false);
      context.get(WORD);
      context.put(ROW, 1);
      engine.put(other, WORD, 5);
      assertLost(AbortCause.VALIDATION, engine, context);
      Found found = engine.records(1).getFirst();
      assertThat(found.kind()).isEqualTo(RedoRecordLayout.KIND_VOID);
      assertThat(found.lsn()).isEqualTo(Lsn.pack(2, 1));
      assertThat(LoggedEngine.count(context, Counters.VOIDS)).isEqualTo(1);
      assertThat(context.recordPartition()).isEqualTo(TxContext.NO_RECORD);
      assertThat(engine.region.getLong(ROW)).isZero();
      assertThat(engine.put(context, ROW, 2)).isEqualTo(3);
    }
  }

  @Test
  void theBlocksOfACommitCanBeTakenByOthers() {
    try (LoggedEngine engine = new LoggedEngine(PARTITIONS)) {
      TxContext context = engine.context();
      context.begin(false);
      long block = context.heap.allocate(100_000);
      context.heap.allocate(100_000);
      engine.commit(context);
      context.begin(false);
      context.heap.free(block);
      engine.commit(context);
      TxContext other = engine.context();
      other.begin(false);
      assertThat(other.heap.allocate(100_000)).isEqualTo(block);
    }
  }

  // ---- Pages that a checkpoint has to copy.

  private static Set<Long> dirty(LoggedEngine engine) {
    Set<Long> pages = new TreeSet<>();
    for (long page = engine.dirtyPages.next(0); page >= 0; ) {
      pages.add(page);
      page = engine.dirtyPages.next(page + 1);
    }
    return pages;
  }

  @Test
  void thePagesOfAllWordsAreMarked() {
    long page = 4096;
    try (LoggedEngine engine = new LoggedEngine(PARTITIONS)) {
      TxContext context = engine.context();
      context.begin(false);
      context.put(20 * page, 1);
      context.put(20 * page + 8, 1);
      context.put(31 * page - 8, 1);
      context.put(22 * page, 1);
      context.putWords(40 * page - 16, new long[2 * 512 + 2], 2 * 512 + 2); // up to a page's end
      context.putWords(51 * page, new long[512], 512);
      context.putWords(60 * page - 8, new long[6], 6);
      engine.commit(context);
      assertThat(dirty(engine)).containsExactly(20L, 22L, 30L, 39L, 40L, 41L, 51L, 59L, 60L);
      context.begin(false);
      context.put(70 * page, 1);
      engine.lanes.lane(0).tryLease(77);
      engine.lanes.lane(1).tryLease(77);
      engine.lanes.lane(2).tryLease(77);
      context.mustNotWait(true);
      assertThatThrownBy(() -> engine.committer.commit(context, 0))
          .isInstanceOf(ConflictException.class);
      assertThat(dirty(engine)).doesNotContain(70L);
    }
  }

  // ---- Dependencies.

  /**
   * The dependency is the newest version of another partition that was read or overwritten and may
   * be lost, or that of an earlier record of the same partition, if that is newer.
   */
  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void dependenciesAreThoseOfAModel(int lanes) {
    SplittableRandom random = new SplittableRandom(11);
    for (int round = 0; round < 20; round++) {
      try (LoggedEngine engine = new LoggedEngine(lanes)) {
        TxContext[] contexts = {engine.context(), engine.context(), engine.context()};
        long[] versions = new long[12];
        long[] taints = new long[PARTITIONS];
        long[] dependent = new long[PARTITIONS];
        long stable = 0;
        for (int step = 0; step < 40; step++) {
          int partition = random.nextInt(PARTITIONS);
          TxContext context = contexts[partition];
          context.begin(false);
          Set<Integer> touched = new HashSet<>();
          for (int i = random.nextInt(5); i > 0; i--) {
            int word = random.nextInt(versions.length);
            touched.add(word);
            context.get(WORD + 32L * word);
          }
          Set<Integer> written = new HashSet<>();
          for (int i = random.nextInt(3); i >= 0; i--) {
            int word = random.nextInt(versions.length);
            written.add(word);
            context.put(WORD + 32L * word, step);
          }
          touched.addAll(written);
          long needed = 0;
          for (int word : touched) {
            long version = versions[word];
            if (Lsn.dense(version) > stable && Lsn.partition(version) != partition) {
              needed = Math.max(needed, version);
            }
          }
          dependent[partition] += needed != 0 ? 1 : 0;
          taints[partition] = Math.max(taints[partition], needed);
          long lsn = engine.commit(context);
          written.forEach(word -> versions[word] = Lsn.pack(lsn, partition));
          Found found = engine.records(partition).getLast();
          assertThat(found.lsn()).isEqualTo(Lsn.pack(lsn, partition));
          assertThat(found.dep()).isEqualTo(taints[partition]);
          assertThat(context.recordDependency()).isEqualTo(Lsn.dense(taints[partition]));
          assertThat(LoggedEngine.count(context, Counters.DEPENDENT_COMMITS))
              .isEqualTo(dependent[partition]);
          if (random.nextInt(4) == 0) {
            stable += random.nextLong(lsn - stable + 1);
            engine.stable(stable);
          }
        }
      }
    }
  }

  // ---- Lanes.

  /** Another lane appends to the ring, so the commit takes a lane of another partition. */
  @Test
  void aCommitDoesNotWaitForARingThatAnotherLaneAppendsTo() {
    try (LoggedEngine engine = new LoggedEngine(6)) {
      TxContext context = engine.context();
      Lane holder = Objects.requireNonNull(engine.lanes.lease(3, 64, 0));
      assertThat(holder.partition()).isZero();
      assertThat(engine.lanes.tryAppend(holder, 64)).isTrue();
      context.begin(false);
      context.put(WORD, 1);
      context.mustNotWait(true);
      assertThatThrownBy(() -> engine.committer.commit(context, 0))
          .isInstanceOfSatisfying(
              ConflictException.class, e -> assertThat(e.reason()).isEqualTo(AbortCause.LOCKED));
      assertThat(context.progress.stage).isEqualTo(CommitProgress.NONE);
      assertThat(engine.orecs.getOpaque(engine.orecs.of(WORD))).isZero();
      assertThat(engine.lanes.lane(0).isLeased()).isFalse();
      assertThat(engine.lanes.clock()).isZero();
      context.mustNotWait(false);
      context.begin(false);
      context.put(WORD, 1);
      int spins = engine.clock.spins;
      engine.committer.commit(context, 0);
      assertThat(engine.clock.spins).as("tried the ring first").isGreaterThan(spins + 50);
      assertThat(engine.ring(0).tail()).isZero();
      assertThat(engine.records(1)).hasSize(1);
      assertThat(engine.orecs.getOpaque(engine.orecs.of(WORD)))
          .isEqualTo(OrecTable.unlocked(Lsn.pack(1, 1)));
      engine.lanes.giveBack(holder);
      assertThat(engine.put(context, WORD, 2)).isEqualTo(2);
      assertThat(engine.records(0)).hasSize(1);
    }
  }

  @Test
  void aCommitThatMustNotWaitNeedsAFreeLane() {
    try (LoggedEngine engine = new LoggedEngine(PARTITIONS)) {
      TxContext context = engine.context();
      for (int i = 0; i < PARTITIONS; i++) {
        assertThat(engine.lanes.lane(i).tryLease(77)).isTrue();
      }
      context.begin(false);
      context.put(WORD, 1);
      context.mustNotWait(true);
      assertThatThrownBy(() -> engine.committer.commit(context, 0))
          .isInstanceOf(ConflictException.class);
      assertThat(context.progress.stage).isEqualTo(CommitProgress.NONE);
      assertThat(engine.orecs.getOpaque(engine.orecs.of(WORD))).isZero();
    }
  }
}
