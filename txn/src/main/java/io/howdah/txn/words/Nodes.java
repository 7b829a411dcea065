package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.core.layout.NodeLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads and writes {@linkplain NodeLayout nodes} of a running transaction. A node is guarded by one
 * orec of its own, and not by those of its stripes (docs/protocol.md, R38). Its words are copied,
 * or searched in place, between two looks at that orec.
 *
 * <p>A read by {@link #read} is in the read set. A read by {@link #readInner} is not: it shows the
 * node as of the snapshot, and proves nothing later. A structure may descend through such nodes if
 * the node that it reaches, which it reads by {@link #read}, proves by itself that it is the right
 * one. If the snapshot moves during the descent, these methods return false, and the descent has to
 * begin anew from words that are in the read set (R39).
 *
 * <p>Offsets and counts are in words, and the caller keeps them within the node. Used by one thread
 * at a time, like its owner.
 */
public final class Nodes {

  /** Returned by {@link #seen} if the last read proves nothing for later transactions. */
  public static final long NO_SEEN = -1;

  private static final int WORD_SHIFT = 3;
  private static final int CACHE_LINE_BYTES = 64;
  private static final VarHandle BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private final Words owner;
  private final Region region;
  private final OrecTable orecs;
  private final ReadSet reads;
  private final NodeWrites writes;

  /** The words of a part that is read as bytes by the slow path. */
  private final long[] part = new long[NodeLayout.MAX_WORDS];

  private long seen = NO_SEEN;

  /** The address of the node that is looked at, the number of its orec, and its word. */
  private long lookAt;

  private long lookOrec;
  private long lookSeen;

  @SuppressWarnings("UnusedVariable") // written so that the JIT compiler keeps the preloads
  private long touched;

  Nodes(Words owner, Region region, OrecTable orecs) {
    this.owner = owner;
    this.region = region;
    this.orecs = orecs;
    this.reads = owner.reads;
    this.writes = owner.nodeWrites;
  }

  // ---- Reads.

  /**
   * Reads words of a node, and notes its orec in the read set. Required before the transaction
   * writes to the node, unless the transaction has allocated it.
   *
   * @return false if the snapshot has moved; then nothing is read, and what was learned from nodes
   *     that were read by {@link #readInner} is void
   */
  public boolean read(long node, int first, int count, long[] target, int at) {
    return read(node, first, count, target, at, true);
  }

  /**
   * Reads words of a node without a note in the read set: the state at the snapshot.
   *
   * @return false if the snapshot has moved; see {@link #read}
   */
  public boolean readInner(long node, int first, int count, long[] target, int at) {
    return read(node, first, count, target, at, false);
  }

  private boolean read(long node, int first, int count, long[] target, int at, boolean isNoted) {
    long address = addressOf(node);
    if (!writes.isEmpty()) {
      int number = writes.find(node);
      if (number >= 0 && writes.isChanged(number)) {
        return readOwn(number, first, count, target, at);
      }
    }
    long orec = orecs.ofNode(address);
    // The order of loads is that of Words.getUnchecked. The words between the two loads of the orec
    // may be loaded in any order and even torn: if the orec has changed, they are discarded. Pairs
    // with the store-store fence before the data stores in Committer.commitLocked.
    long before = orecs.getAcquire(orec);
    region.getLongs(address + ((long) first << WORD_SHIFT), target, at, count);
    VarHandle.acquireFence();
    if (!owner.isReadable(before, orecs.getOpaque(orec))) {
      return readContended(node, first, count, target, at, isNoted);
    }
    seen = before;
    if (isNoted) {
      reads.add(orec, before);
    }
    return true;
  }

  /**
   * Reads words of a node as bytes, 8 for each word, and notes its orec; otherwise like {@link
   * #read}.
   */
  public boolean readBytes(long node, int first, int count, byte[] target, int offset) {
    long address = addressOf(node);
    if (writes.isEmpty()) {
      long orec = orecs.ofNode(address);
      long before = orecs.getAcquire(orec); // as in read()
      region.getBytes(address + ((long) first << WORD_SHIFT), target, offset, count << WORD_SHIFT);
      VarHandle.acquireFence();
      if (owner.isReadable(before, orecs.getOpaque(orec))) {
        seen = before;
        reads.add(orec, before);
        return true;
      }
    }
    if (!read(node, first, count, part, 0, true)) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      BYTES.set(target, offset + (i << WORD_SHIFT), part[i]);
    }
    return true;
  }

  /**
   * Reads words of a node if its orec still holds the word that {@link #seen} returned after an
   * earlier read of the node, perhaps by another transaction of this opening. If so, no commit has
   * changed or freed the node since then, so it is what it was. May move the snapshot, so it is
   * called before anything is learned from {@link #readInner}.
   *
   * @return false if the node may have changed; nothing is read
   */
  public boolean readKnown(long node, long seen, int first, int count, long[] target, int at) {
    long address = addressOf(node);
    long orec = orecs.ofNode(address);
    if (!writes.isEmpty() && writes.find(node) >= 0) {
      return false;
    }
    long before = orecs.getAcquire(orec);
    if (before != seen) {
      return false; // also if it is locked, since the word seen was not
    }
    if (!owner.isReadable(before, before) && !isReadableAfterAll(node, before)) {
      return false;
    }
    region.getLongs(address + ((long) first << WORD_SHIFT), target, at, count);
    VarHandle.acquireFence(); // as in read()
    if (orecs.getOpaque(orec) != before) {
      return false;
    }
    this.seen = before;
    reads.add(orec, before);
    return true;
  }

  /** Returns whether an unlocked node may be read after waits that its state requires. */
  private boolean isReadableAfterAll(long node, long before) {
    requireReplayed(node);
    if (before <= owner.snapshotLimit()) {
      return true;
    }
    if (owner.isSnapshotOpen()) {
      return false;
    }
    owner.extend();
    return true; // the caller compares the orec with the word from before the extension
  }

  /**
   * Returns the orec's word that the last read which returned true has seen, for {@link
   * #readKnown}; {@link #NO_SEEN} if the words are the transaction's own, or of an older state.
   */
  public long seen() {
    return seen;
  }

  // ---- Looks: a reader takes some words of a node without a copy.

  /**
   * Begins a look at a node: the first look at its orec (R39). Until {@link #endLook} says that the
   * node has not changed meanwhile, the words that {@link #word}, {@link #rank} and {@link #bytes}
   * return are a hint: the caller keeps what it makes of them within the node, and throws nothing.
   *
   * @return false if the node cannot be read so, because the transaction has written to it or must
   *     wait; {@link #read} and {@link #readInner} can
   */
  public boolean beginLook(long node) {
    if (!NodeLayout.isPossible(node, region.capacityBytes())
        || (!writes.isEmpty() && writes.find(node) >= 0)) {
      return false;
    }
    lookAt = NodeLayout.address(node);
    lookOrec = orecs.ofNode(lookAt);
    lookSeen = orecs.getAcquire(lookOrec); // as in read()
    return owner.isReadable(lookSeen, lookSeen);
  }

  /**
   * Begins a look at a node whose orec still holds the word that {@link #seen} returned after an
   * earlier look or read, perhaps of another transaction of this opening. If so, no commit has
   * changed or freed the node since then.
   *
   * @return false also if the node may have changed
   */
  public boolean beginLook(long node, long seen) {
    return beginLook(node) && lookSeen == seen;
  }

  /** Returns a word of the node that is looked at. */
  public long word(int at) {
    return region.getLong(lookAt + ((long) at << WORD_SHIFT));
  }

  /** Compares words of the node that is looked at with a number; see {@link Region#rank}. */
  public long rank(int first, int count, long number) {
    return region.rank(lookAt + ((long) first << WORD_SHIFT), count, number);
  }

  /** Copies words of the node that is looked at, 8 bytes for each, to the start of an array. */
  public void bytes(int first, int count, byte[] target) {
    region.getBytes(lookAt + ((long) first << WORD_SHIFT), target, 0, count << WORD_SHIFT);
  }

  /** Loads the cache lines of words of the node that is looked at, as a hint. */
  public void preload(int first, int count) {
    long last = lookAt + ((long) (first + count - 1) << WORD_SHIFT);
    long seen = region.getLong(last);
    for (long a = lookAt + ((long) first << WORD_SHIFT); a < last; a += CACHE_LINE_BYTES) {
      seen ^= region.getLong(a);
    }
    touched = seen;
  }

  /**
   * Ends the look: the second look at the orec.
   *
   * @param isNoted whether the node answers, so that its orec is noted in the read set
   * @return false if the node may have changed; then nothing was learned
   */
  public boolean endLook(boolean isNoted) {
    VarHandle.acquireFence(); // as in read()
    if (orecs.getOpaque(lookOrec) != lookSeen) {
      return false;
    }
    seen = lookSeen;
    if (isNoted) {
      reads.add(lookOrec, lookSeen);
    }
    return true;
  }

  private long addressOf(long node) {
    if (!NodeLayout.isPossible(node, region.capacityBytes())) {
      throw impossible(node);
    }
    return NodeLayout.address(node);
  }

  private RuntimeException impossible(long node) {
    return owner.inconsistentRead(node, "the reference of a node, " + node + ",");
  }

  private void requireReplayed(long node) {
    owner.requireReplayed(NodeLayout.address(node)); // a chunk is at least as long as a node
  }

  /** Reads a node that is locked, was written after the snapshot, or may not be replayed yet. */
  private boolean readContended(
      long node, int first, int count, long[] target, int at, boolean isNoted) {
    requireReplayed(node);
    long address = NodeLayout.address(node);
    long orec = orecs.ofNode(address);
    if (owner.isSnapshotOpen()) {
      readFromSnapshot(address, orec, first, count, target, at);
      return true;
    }
    for (int spins = 0; ; ) {
      long before = orecs.getAcquire(orec);
      if (!OrecTable.isLocked(before)) {
        if (before > owner.snapshotLimit()) {
          owner.extend();
          return false;
        }
        region.getLongs(address + ((long) first << WORD_SHIFT), target, at, count);
        VarHandle.acquireFence(); // as in read()
        if (orecs.getOpaque(orec) == before) {
          seen = before;
          if (isNoted) {
            reads.add(orec, before);
          }
          return true;
        }
      }
      if (++spins > owner.spinLimit()) {
        throw owner.locked();
      }
      owner.spinWait();
    }
  }

  /**
   * Reads a node as of the open snapshot; waits for a commit that has locked its orec. If the orec
   * is newer than the snapshot, the words come from the history one by one. Then a second look at
   * the orec is not needed. The orec was unlocked once after the snapshot was opened, so each
   * commit that the snapshot has, and that wrote here, has stored its words. Each later commit
   * keeps the former word in the history before it stores its own: its store-store fence stands in
   * between, and pairs with the acquire fence here.
   */
  private void readFromSnapshot(
      long address, long orec, int first, int count, long[] target, int at) {
    long from = address + ((long) first << WORD_SHIFT);
    for (int spins = 0; ; spins++) {
      long before = orecs.getAcquire(orec);
      if (!OrecTable.isLocked(before)) {
        if (before > owner.snapshotLimit()) {
          for (int i = 0; i < count; i++) {
            target[at + i] = owner.fromHistory(from + ((long) i << WORD_SHIFT));
          }
          seen = NO_SEEN;
          return;
        }
        region.getLongs(from, target, at, count);
        VarHandle.acquireFence(); // as in read()
        if (orecs.getOpaque(orec) == before) {
          seen = before;
          return;
        }
      }
      owner.awaitCommit(spins);
    }
  }

  /** Reads a node that this transaction has written to, or allocated, from its image. */
  private boolean readOwn(int number, int first, int count, long[] target, int at) {
    int image = writes.image(number);
    if (image < 0) {
      image = writes.beginImage(number);
      if (!fillImage(number, image)) {
        return false;
      }
      writes.completeImage(number);
    }
    System.arraycopy(writes.images(), image + first, target, at, count);
    seen = NO_SEEN;
    return true;
  }

  /** Fills the image of a node with the words that memory has. */
  private boolean fillImage(int number, int image) {
    long node = writes.reference(number);
    int words = NodeLayout.words(node);
    if (writes.isFresh(number)) {
      Arrays.fill(writes.images(), image, image + words, 0);
      return true;
    }
    // The node is in the read set, so a newer version ends the attempt with a conflict.
    return readContended(node, 0, words, writes.images(), image, true);
  }

  /** Loads the cache lines of words of a node, and of its orec, as a hint. */
  public void preload(long node, int first, int count) {
    if (!NodeLayout.isPossible(node, region.capacityBytes())) {
      return;
    }
    long address = NodeLayout.address(node);
    long seen = orecs.getOpaque(orecs.ofNode(address));
    long end = address + ((long) (first + count) << WORD_SHIFT);
    for (long a = address + ((long) first << WORD_SHIFT); a < end; a += CACHE_LINE_BYTES) {
      seen ^= region.getLongOpaque(a);
    }
    touched = seen;
  }

  // ---- Writes.

  /**
   * Writes words of a node, which was {@linkplain #read read} by this transaction or allocated by
   * it. Of two writes of a word the later one counts.
   */
  public void write(long node, int first, long[] source, int at, int count) {
    requireRoom(node, count);
    owner.writes.claim(writes.put(node, first, source, at, count));
  }

  /** Writes a word of a node; otherwise like the method above. */
  public void write(long node, int first, long word) {
    requireRoom(node, 1);
    owner.writes.claim(writes.put(node, first, word));
  }

  /** Writes words of a node from bytes, 8 for each word; otherwise like the methods above. */
  public void writeBytes(long node, int first, byte[] source, int offset, int count) {
    requireRoom(node, count);
    owner.writes.claim(writes.put(node, first, source, offset, count));
  }

  private void requireRoom(long node, int count) {
    addressOf(node);
    if (!owner.writes.hasRoomFor(count)) {
      owner.requireRoom(false);
    }
  }
}
