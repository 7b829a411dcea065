package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.storage.file.Regions;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a commit locks, validates, and gives back. */
final class OrecLocksTest {

  private static final int LANE = 3;
  private static final long ROW = 8192;
  private static final long SINGLE = 16384;
  private static final long GUARD = 32768;
  private static final long READ = 65536;

  private final OrecTable orecs = OrecTable.create(1 << 12, true, Regions::anonymous);
  private final WriteSet writes = new WriteSet(orecs.shift());
  private final Guards guards = new Guards();
  private final ReadSet reads = new ReadSet(() -> {});
  private final OrecLocks locks = new OrecLocks(orecs);

  /** A row of 6 words on two stripes, two words of one stripe, and a guard. */
  OrecLocksTest() {
    if (!writes.beginRow(ROW, 6)) {
      throw new AssertionError("no row");
    }
    writes.rows().add(ROW, new long[6], 6);
    writes.endRow();
    writes.put(SINGLE, 1);
    writes.put(SINGLE + 8, 1);
    guards.add(GUARD);
    locks.clear(9);
  }

  private void set(long address, long word) {
    orecs.setRelease(orecs.of(address), word);
  }

  private long at(long address) {
    return orecs.getOpaque(orecs.of(address));
  }

  private void forEach(Consumer<Long> action) {
    for (long address : new long[] {ROW, ROW + 32, SINGLE, GUARD}) {
      action.accept(address);
    }
  }

  @Test
  void eachStripeIsLockedOnceAndTheNewestVersionTold() {
    set(ROW + 32, OrecTable.unlocked(900));
    set(GUARD, OrecTable.unlocked(700));
    assertThat(locks.lockAll(writes, guards, LANE)).isEqualTo(OrecTable.unlocked(900));
    assertThat(locks.count()).isEqualTo(4);
    forEach(address -> assertThat(OrecTable.isLockedBy(at(address), LANE)).isTrue());
    assertThat(OrecTable.isLocked(at(ROW + 64))).as("behind the row").isFalse();
    locks.release(950);
    forEach(address -> assertThat(at(address)).isEqualTo(OrecTable.unlocked(950)));
  }

  @ParameterizedTest
  @ValueSource(longs = {ROW, ROW + 32, SINGLE, GUARD})
  void theNewestVersionIsThatOfAnyKind(long address) {
    forEach(other -> set(other, OrecTable.unlocked(5)));
    set(address, OrecTable.unlocked(800));
    assertThat(locks.lockAll(writes, guards, LANE)).isEqualTo(OrecTable.unlocked(800));
    locks.restore();
    assertThat(locks.count()).as("a later release must not touch them").isZero();
    assertThat(at(address)).isEqualTo(OrecTable.unlocked(800));
    forEach(other -> assertThat(OrecTable.isLocked(at(other))).isFalse());
  }

  @ParameterizedTest
  @ValueSource(longs = {ROW, ROW + 32, SINGLE, GUARD})
  void aLockOfAnotherCommitIsLeftAlone(long address) {
    long locked = OrecTable.locked(0, LANE + 1);
    set(address, locked);
    assertThat(locks.lockAll(writes, guards, LANE)).isEqualTo(OrecLocks.LOCKED_BY_OTHER);
    locks.restore();
    assertThat(at(address)).isEqualTo(locked);
    forEach(other -> assertThat(other == address || at(other) == 0).isTrue());
  }

  @Test
  void readsOfItsOwnLocksAreCurrentIfTheyWereBefore() {
    set(SINGLE, OrecTable.unlocked(40));
    reads.add(orecs.of(SINGLE), OrecTable.unlocked(40));
    reads.add(orecs.of(READ), 0);
    assertThat(locks.areCurrent(reads, LANE)).isTrue();
    locks.lockAll(writes, guards, LANE);
    assertThat(locks.areCurrent(reads, LANE)).isTrue();
    set(READ, OrecTable.locked(0, LANE + 1));
    assertThat(locks.areCurrent(reads, LANE)).as("locked by another commit").isFalse();
    set(READ, OrecTable.unlocked(41));
    assertThat(locks.areCurrent(reads, LANE)).as("written by another commit").isFalse();
  }

  @Test
  void aReadThatHadChangedBeforeTheLockIsNotCurrent() {
    set(SINGLE, OrecTable.unlocked(40));
    reads.add(orecs.of(SINGLE), OrecTable.unlocked(39));
    locks.lockAll(writes, guards, LANE);
    assertThat(locks.areCurrent(reads, LANE)).isFalse();
  }

  /** The lists are used again: what is left behind their ends belongs to an earlier commit. */
  @Test
  void whatAnEarlierCommitLeftBehindIsNotTouched() {
    locks.lockAll(writes, guards, LANE);
    locks.release(50);
    writes.clear();
    guards.clear();
    reads.add(orecs.of(READ), 0);
    reads.add(orecs.of(ROW), 0);
    reads.clear();
    locks.clear(9);
    assertThat(writes.beginRow(ROW, 4)).isTrue();
    writes.rows().add(ROW, new long[4], 4);
    writes.endRow();
    reads.add(orecs.of(READ), 0);
    assertThat(locks.areCurrent(reads, LANE)).isTrue();
    assertThat(locks.lockAll(writes, guards, LANE)).isEqualTo(OrecTable.unlocked(50));
    assertThat(locks.count()).as("a row of a whole stripe").isEqualTo(1);
    locks.restore();
    forEach(address -> assertThat(at(address)).isEqualTo(OrecTable.unlocked(50)));
  }
}
