package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;

/**
 * A view of the segments that moves forward only, and within reach of one longest batch shows any
 * range of bytes in one piece. Not thread-safe.
 */
final class SegmentWindow {

  /** Holds most batches; those that grow it to the longest are rare. */
  private static final int ASSEMBLY_BYTES = 1 << 20;

  private final List<SegmentFile> segments;
  private final ReadAhead source;
  private final StagingMemory memory;
  private final ArrayDeque<ReadAhead.Block> held = new ArrayDeque<>();
  private ByteBuffer assembly = ByteBuffer.allocate(0);
  private int segment;

  /** What the last {@link #show} found: the bytes, at {@link #at}. */
  ByteBuffer bytes = ByteBuffer.allocate(0);

  /** Where in {@link #bytes} the range shown starts. */
  int at;

  SegmentWindow(List<SegmentFile> segments, ReadAhead source, StagingMemory memory) {
    this.segments = segments;
    this.memory = memory;
    this.source = source;
  }

  /** Moves to the start of a segment that was not left yet. */
  void enter(int index) {
    segment = index;
    source.skipTo(index);
    while (!held.isEmpty() && held.getFirst().segment < index) {
      held.removeFirst();
      source.release();
    }
  }

  /**
   * Shows a range of the current segment that lies behind what was left and within its end: {@link
   * #bytes} and {@link #at} lead to it.
   */
  void show(int offset, int lengthBytes) {
    leave(offset);
    ReadAhead.Block first = held.isEmpty() ? pull() : held.getFirst();
    if (offset + lengthBytes <= first.end()) {
      bytes = first.bytes;
      at = offset - first.offset;
      return;
    }
    while (held.getLast().end() < offset + lengthBytes) {
      pull();
    }
    if (assembly.capacity() < lengthBytes) {
      assembly =
          memory.allocate(Math.clamp(2L * lengthBytes, ASSEMBLY_BYTES, BatchLayout.MAX_LENGTH));
    }
    ByteBuffer whole = assembly;
    int copied = 0;
    for (ReadAhead.Block block : held) {
      int from = offset + copied - block.offset;
      int run = Math.min(block.length - from, lengthBytes - copied);
      if (run > 0) {
        whole.put(copied, block.bytes, from, run);
        copied += run;
      }
    }
    bytes = whole;
    at = 0;
  }

  /** Gives up everything before an offset of the current segment. */
  private void leave(int offset) {
    while (!held.isEmpty() && held.getFirst().end() <= offset) {
      held.removeFirst();
      source.release();
    }
    while (held.isEmpty()) {
      if (pull().end() <= offset) {
        held.removeFirst();
        source.release();
      }
    }
  }

  private ReadAhead.Block pull() {
    while (true) {
      ReadAhead.Block block = source.next();
      SegmentFile file = segments.get(segment);
      if (block == null || block.segment > segment || block.length == 0) {
        throw new CorruptStoreException(
            file.name(),
            block == null ? -1 : block.offset,
            "the segment ended before its "
                + file.endBytes()
                + " bytes were read; something else truncates the store's files");
      }
      if (block.segment == segment) {
        held.addLast(block);
        return block;
      }
      source.release();
    }
  }
}
