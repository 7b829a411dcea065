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

  private static void assertLost(AbortCause cause, LoggedEngine engine, Attempt attempt) {
    assertThatThrownBy(() -> engine.commit(attempt))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(cause));
  }

  // ---- Records.

  /** Words and a row; short enough to be put together before the LSN is known, or longer. */
  @ParameterizedTest
  @CsvSource({"3, 6", "3, 108", "3, 200", "6, 6", "6, 108", "6, 109", "6, 110", "6, 111", "6, 200"})
  void aRecordHasAllWords(int lanes, int rowWords) {
    try (LoggedEngine engine = new LoggedEngine(lanes)) {
      Attempt other = engine.attempt();
      Attempt attempt = engine.attempt();
      engine.put(other, FAR, 1);
      attempt.begin(false);
      Map<Long, Long> words = new HashMap<>();
      for (long address : new long[] {WORD, WORD + 8, WORD + 64, WORD + 16, WORD + 512}) {
        attempt.words.put(address, address + 1);
        words.put(address, address + 1);
      }
      long[] row = new long[rowWords];
      for (int i = 0; i < rowWords; i++) {
        row[i] = 5L + i;
        words.put(ROW + 8L * i, 5L + i);
      }
      attempt.words.putWords(ROW, row, rowWords);
      assertThat(engine.commit(attempt)).isEqualTo(2);
      Found found = engine.records(1).getFirst();
      assertThat(found.kind()).isEqualTo(RedoRecordLayout.KIND_COMMIT);
      assertThat(found.lsn()).isEqualTo(Lsn.pack(2, 1));
      assertThat(found.dep()).isZero();
      assertThat(found.words()).containsExactlyInAnyOrderEntriesOf(words);
      assertThat(attempt.point.partition()).isEqualTo(1);
      assertThat(attempt.point.end()).isEqualTo(engine.ring(1).tail());
      assertThat(attempt.point.dependency()).isZero();
      words.forEach(
          (address, value) -> assertThat(engine.region.getLong(address)).isEqualTo(value));
      assertThat(LoggedEngine.count(attempt, Counters.COMMITS)).isEqualTo(1);
      assertThat(LoggedEngine.count(attempt, Counters.MULTIPART_COMMITS)).isZero();
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
      Attempt attempt = engine.attempt();
      long begun = attempt.progress.begun;
      List<Integer> seen = new ArrayList<>();
      engine.onStore =
          () -> {
            seen.add(attempt.progress.stage);
            assertThat(engine.records(0)).hasSize(1);
            assertThat(OrecTable.isLocked(engine.orecs.getOpaque(engine.orecs.of(WORD)))).isTrue();
            assertThat(engine.lanes.haveCommitsEnded(1)).isFalse();
            assertThat(engine.lanes.haveCommitsEnded(0)).isTrue();
            if (lanes > PARTITIONS) {
              Lane other = Objects.requireNonNull(engine.lanes.lease(3, 64, 0));
              assertThat(other.partition()).isZero();
              assertThat(engine.lanes.spinForAppendLock(other, 64)).isTrue();
              other.endLease();
            }
          };
      assertThat(engine.put(attempt, WORD, 1)).isEqualTo(1);
      assertThat(seen).containsExactly(CommitProgress.PUBLISHED);
      assertThat(engine.lanes.haveCommitsEnded(1)).isTrue();
      assertThat(attempt.progress.begun).isEqualTo(begun + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void aCommitThatHasTakenItsLsnInVainLeavesAVoid(int lanes) {
    try (LoggedEngine engine = new LoggedEngine(lanes)) {
      Attempt other = engine.attempt();
      Attempt attempt = engine.attempt();
      attempt.begin(false);
      attempt.words.get(WORD);
      attempt.words.put(ROW, 1);
      engine.put(other, WORD, 5);
      assertLost(AbortCause.VALIDATION, engine, attempt);
      Found found = engine.records(1).getFirst();
      assertThat(found.kind()).isEqualTo(RedoRecordLayout.KIND_VOID);
      assertThat(found.lsn()).isEqualTo(Lsn.pack(2, 1));
      assertThat(LoggedEngine.count(attempt, Counters.VOIDS)).isEqualTo(1);
      assertThat(attempt.point.hasRecord()).isFalse();
      assertThat(engine.region.getLong(ROW)).isZero();
      assertThat(engine.put(attempt, ROW, 2)).isEqualTo(3);
    }
  }

  @Test
  void theBlocksOfACommitCanBeTakenByOthers() {
    try (LoggedEngine engine = new LoggedEngine(PARTITIONS)) {
      Attempt attempt = engine.attempt();
      attempt.begin(false);
      long block = attempt.words.heap.allocate(100_000);
      attempt.words.heap.allocate(100_000);
      engine.commit(attempt);
      attempt.begin(false);
      attempt.words.heap.free(block);
      engine.commit(attempt);
      Attempt other = engine.attempt();
      other.begin(false);
      assertThat(other.words.heap.allocate(100_000)).isEqualTo(block);
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
      Attempt attempt = engine.attempt();
      attempt.begin(false);
      attempt.words.put(20 * page, 1);
      attempt.words.put(20 * page + 8, 1);
      attempt.words.put(31 * page - 8, 1);
      attempt.words.put(22 * page, 1);
      attempt.words.putWords(
          40 * page - 16, new long[2 * 512 + 2], 2 * 512 + 2); // up to a page's end
      attempt.words.putWords(51 * page, new long[512], 512);
      attempt.words.putWords(60 * page - 8, new long[6], 6);
      engine.commit(attempt);
      assertThat(dirty(engine)).containsExactly(20L, 22L, 30L, 39L, 40L, 41L, 51L, 59L, 60L);
      attempt.begin(false);
      attempt.words.put(70 * page, 1);
      engine.lanes.lane(0).tryLease(77);
      engine.lanes.lane(1).tryLease(77);
      engine.lanes.lane(2).tryLease(77);
      attempt.mustNotWait(true);
      assertThatThrownBy(() -> engine.committer.commit(attempt, 0))
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
        Attempt[] attempts = {engine.attempt(), engine.attempt(), engine.attempt()};
        long[] versions = new long[12];
        long[] taints = new long[PARTITIONS];
        long[] dependent = new long[PARTITIONS];
        long stable = 0;
        for (int step = 0; step < 40; step++) {
          int partition = random.nextInt(PARTITIONS);
          Attempt attempt = attempts[partition];
          attempt.begin(false);
          Set<Integer> touched = new HashSet<>();
          for (int i = random.nextInt(5); i > 0; i--) {
            int word = random.nextInt(versions.length);
            touched.add(word);
            attempt.words.get(WORD + 32L * word);
          }
          Set<Integer> written = new HashSet<>();
          for (int i = random.nextInt(3); i >= 0; i--) {
            int word = random.nextInt(versions.length);
            written.add(word);
            attempt.words.put(WORD + 32L * word, step);
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
          long lsn = engine.commit(attempt);
          written.forEach(word -> versions[word] = Lsn.pack(lsn, partition));
          Found found = engine.records(partition).getLast();
          assertThat(found.lsn()).isEqualTo(Lsn.pack(lsn, partition));
          assertThat(found.dep()).isEqualTo(taints[partition]);
          assertThat(attempt.point.dependency()).isEqualTo(Lsn.dense(taints[partition]));
          assertThat(LoggedEngine.count(attempt, Counters.DEPENDENT_COMMITS))
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
      Attempt attempt = engine.attempt();
      Lane holder = Objects.requireNonNull(engine.lanes.lease(3, 64, 0));
      assertThat(holder.partition()).isZero();
      assertThat(engine.lanes.spinForAppendLock(holder, 64)).isTrue();
      attempt.begin(false);
      attempt.words.put(WORD, 1);
      attempt.mustNotWait(true);
      assertThatThrownBy(() -> engine.committer.commit(attempt, 0))
          .isInstanceOfSatisfying(
              ConflictException.class, e -> assertThat(e.reason()).isEqualTo(AbortCause.LOCKED));
      assertThat(attempt.progress.stage).isEqualTo(CommitProgress.NONE);
      assertThat(engine.orecs.getOpaque(engine.orecs.of(WORD))).isZero();
      assertThat(engine.lanes.lane(0).isLeased()).isFalse();
      assertThat(engine.lanes.clock()).isZero();
      attempt.mustNotWait(false);
      attempt.begin(false);
      attempt.words.put(WORD, 1);
      int spins = engine.clock.spins;
      engine.committer.commit(attempt, 0);
      assertThat(engine.clock.spins).as("tried the ring first").isGreaterThan(spins + 50);
      assertThat(engine.ring(0).tail()).isZero();
      assertThat(engine.records(1)).hasSize(1);
      assertThat(engine.orecs.getOpaque(engine.orecs.of(WORD)))
          .isEqualTo(OrecTable.unlocked(Lsn.pack(1, 1)));
      holder.endLease();
      assertThat(engine.put(attempt, WORD, 2)).isEqualTo(2);
      assertThat(engine.records(0)).hasSize(1);
    }
  }

  @Test
  void aCommitThatMustNotWaitNeedsAFreeLane() {
    try (LoggedEngine engine = new LoggedEngine(PARTITIONS)) {
      Attempt attempt = engine.attempt();
      for (int i = 0; i < PARTITIONS; i++) {
        assertThat(engine.lanes.lane(i).tryLease(77)).isTrue();
      }
      attempt.begin(false);
      attempt.words.put(WORD, 1);
      attempt.mustNotWait(true);
      assertThatThrownBy(() -> engine.committer.commit(attempt, 0))
          .isInstanceOf(ConflictException.class);
      assertThat(attempt.progress.stage).isEqualTo(CommitProgress.NONE);
      assertThat(engine.orecs.getOpaque(engine.orecs.of(WORD))).isZero();
    }
  }
}
