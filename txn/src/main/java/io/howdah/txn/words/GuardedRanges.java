package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.core.layout.NodeLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads words that are validated by the orec of another word, their <em>guard</em>, and not by the
 * orecs of their own stripes (docs/protocol.md, section 7). Every commit that changes such words
 * locks the orec of the guard, or follows a commit that has written the guard, or one that has
 * written the word of <em>existence</em>: it has ended the structure to which the words belong.
 *
 * <p>Used by one thread at a time, like its owner.
 */
final class GuardedRanges {

  private static final int WORD_SHIFT = 3;
  private static final VarHandle BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private final Words owner;
  private final Region region;
  private final OrecTable orecs;

  GuardedRanges(Words owner, Region region, OrecTable orecs) {
    this.owner = owner;
    this.region = region;
    this.orecs = orecs;
  }

  /** Reads words as memory has them; see {@link Words#getGuarded}. */
  void get(long guard, long existence, long address, byte[] target, int offset, int words) {
    requireReplayed(address, words);
    if (owner.isSnapshotOpen()) {
      getFromSnapshot(guard, existence, address, target, offset, words);
      return;
    }
    boolean isGuardWritten = owner.hasWritten(guard);
    long orec = orecs.of(guard);
    for (int spins = 0; ; ) {
      long before = orecs.getAcquire(orec);
      if (!OrecTable.isLocked(before)) {
        if (before > owner.snapshotLimit()) {
          owner.extend(); // the guard is in the read set, and has changed: a conflict
          continue;
        }
        region.getBytes(address, target, offset, words << WORD_SHIFT);
        VarHandle.acquireFence(); // as in Words.getUnchecked
        if (orecs.getOpaque(orec) == before) {
          if (owner.isCurrent(existence)) {
            if (isGuardWritten) {
              // What this transaction has written there may come from another word, whose orec
              // others lock until this transaction commits. That word was read, too.
              owner.requireCurrentReads();
            } else {
              owner.reads.add(orec, before);
            }
            return;
          }
          long _ = owner.getUnchecked(existence); // read before, and changed: a conflict
        }
      }
      if (++spins > owner.spinLimit()) {
        throw owner.locked();
      }
      owner.spinWait();
    }
  }

  /**
   * Reads words as of the open snapshot; waits for a commit that has locked one of the two orecs.
   * Both were unlocked once after the snapshot was opened, so each commit that the snapshot has,
   * and that wrote here, has stored its words. Each later commit keeps the former word in the
   * history before it stores its own.
   */
  private void getFromSnapshot(
      long guard, long existence, long address, byte[] target, int offset, int words) {
    long orec = orecs.of(guard);
    long existenceOrec = orecs.of(existence);
    for (int spins = 0; ; spins++) {
      long before = orecs.getAcquire(orec);
      long exists = orecs.getAcquire(existenceOrec);
      if (!OrecTable.isLocked(before) && !OrecTable.isLocked(exists)) {
        if (Math.max(before, exists) > owner.snapshotLimit()) {
          for (int i = 0; i < words; i++) {
            long value = owner.fromHistory(address + ((long) i << WORD_SHIFT));
            BYTES.set(target, offset + (i << WORD_SHIFT), value);
          }
          return;
        }
        region.getBytes(address, target, offset, words << WORD_SHIFT);
        VarHandle.acquireFence(); // as in Words.getUnchecked
        if (orecs.getOpaque(orec) == before && orecs.getOpaque(existenceOrec) == exists) {
          return;
        }
      }
      owner.awaitCommit(spins);
    }
  }

  /** Waits until all words are replayed. A chunk of the replay is at least as long as a node. */
  private void requireReplayed(long address, int words) {
    long end = address + ((long) words << WORD_SHIFT);
    for (long a = address; a < end; a += NodeLayout.MAX_WORDS << WORD_SHIFT) {
      owner.requireReplayed(a);
    }
    owner.requireReplayed(end - Long.BYTES);
  }
}
