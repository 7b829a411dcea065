package io.howdah.collections.structure;

import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import org.jspecify.annotations.Nullable;

/** Buffers for the operations of a {@link Tree}. Not thread-safe. */
final class TreeScratch {

  private static final int KEPT_BYTES = 1 << 12;
  private static final byte[] NO_BYTES = {};

  /**
   * The inner node that a descent reads, the right one of two nodes that merge, or a leaf that
   * {@link TreeGroup} searches.
   */
  final NodeImage inner = new NodeImage();

  /** The leaf, or the node that is changed. */
  final NodeImage node = new NodeImage();

  /** The left one of two nodes that merge. */
  final NodeImage neighbour = new NodeImage();

  /** A node that is built. */
  final NodeImage built = new NodeImage();

  /** The nodes of the last descent, by their levels. */
  final long[] path = new long[TreeLayout.MAX_HEIGHT + 2];

  /** The snapshot of that descent. */
  long snapshot;

  /** The key of the operation. */
  final TreeKey key = new TreeKey();

  /** A stored key that is compared. */
  final TreeKey probe = new TreeKey();

  /** Fences of a node that is built or changed. */
  final TreeKey low = new TreeKey();

  final TreeKey high = new TreeKey();

  /** The key between two nodes, of even and of odd levels. */
  final TreeKey[] separators = {new TreeKey(), new TreeKey()};

  /** Heads in their order. Nodes of the middle length have the most. */
  final long[] heads = new long[TreeNodeLayout.MIDDLE.capacity + 1];

  /** The units of each entry. */
  final int[] units = new int[TreeNodeLayout.MIDDLE.capacity + 1];

  /** The entry that is put: some bytes of an array, with which whole words begin. */
  byte[] entry = NO_BYTES;

  int entryOffset;
  int entryBytes;

  /** How many keys of the entries were new that {@link TreeRuns} has put last. */
  int added;

  /** The leaves that operations on several keys will probably read. */
  final KnownLeaves known = new KnownLeaves();

  /** The copy of a leaf that the last cursor had; null while one has it. */
  private byte @Nullable [] copy;

  private long @Nullable [] copyHeads;

  /** Returns an array for the heads of a leaf, with any contents. */
  long[] takeHeads() {
    long[] taken = copyHeads;
    copyHeads = null;
    return taken != null ? taken : new long[TreeNodeLayout.MIDDLE.capacity];
  }

  /** Returns an array for the copy of a leaf, with any contents. */
  byte[] takeCopy() {
    byte[] taken = copy;
    copy = null;
    return taken != null ? taken : new byte[TreeNodeLayout.LARGE.bytes + Long.BYTES];
  }

  /** Takes back the array of a cursor that is not used any more. */
  void giveBack(byte[] taken, long[] heads) {
    copy = taken;
    copyHeads = heads;
  }

  /** Releases the memory that unusually long keys needed. */
  void trim() {
    key.trim(KEPT_BYTES);
    probe.trim(KEPT_BYTES);
    low.trim(KEPT_BYTES);
    high.trim(KEPT_BYTES);
    known.trim(KEPT_BYTES);
    for (TreeKey separator : separators) {
      separator.trim(KEPT_BYTES);
    }
    if (entry.length > KEPT_BYTES) {
      entry = NO_BYTES;
    }
  }
}
