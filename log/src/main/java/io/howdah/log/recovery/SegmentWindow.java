package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;

/**
 * A view of the segments that moves forward only. It makes any range of bytes contiguous that is at
 * most as long as the longest batch. {@link BatchReader} reads batches through it. Not thread-safe.
 */
final class SegmentWindow {

  /** First length of the buffer for ranges of several blocks. Longer batches are rare. */
  private static final int ASSEMBLY_BYTES = 1 << 20;

  private final List<SegmentFile> segments;
  private final ReadAhead source;
  private final StagingMemory memory;
  private final ArrayDeque<ReadAhead.Block> blocks = new ArrayDeque<>();
  private ByteBuffer assembly = ByteBuffer.allocate(0);
  private int segment;

  /** The buffer with the range of the last {@link #show}, which starts at {@link #at}. */
  ByteBuffer bytes = ByteBuffer.allocate(0);

  /** Index in {@link #bytes} of that range. */
  int at;

  SegmentWindow(List<SegmentFile> segments, ReadAhead source, StagingMemory memory) {
    this.segments = segments;
    this.memory = memory;
    this.source = source;
  }

  /** Moves to the start of the present segment or a later one. */
  void enter(int index) {
    segment = index;
    source.skipTo(index);
    while (!blocks.isEmpty() && blocks.getFirst().segment < index) {
      blocks.removeFirst();
      source.release();
    }
  }

  /**
   * Sets {@link #bytes} and {@link #at} to a range of the current segment. The range must not start
   * before an earlier range, and must end within the segment.
   */
  void show(int offset, int lengthBytes) {
    releaseBefore(offset);
    ReadAhead.Block first = blocks.isEmpty() ? pull() : blocks.getFirst();
    if (offset + lengthBytes <= first.end()) {
      bytes = first.bytes;
      at = offset - first.offset;
      return;
    }
    while (blocks.getLast().end() < offset + lengthBytes) {
      pull();
    }
    if (assembly.capacity() < lengthBytes) {
      assembly =
          memory.allocate(Math.clamp(2L * lengthBytes, ASSEMBLY_BYTES, BatchLayout.MAX_LENGTH));
    }
    ByteBuffer whole = assembly;
    int copied = 0;
    for (ReadAhead.Block block : blocks) {
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

  /** Releases the blocks before an offset of the current segment. */
  private void releaseBefore(int offset) {
    while (!blocks.isEmpty() && blocks.getFirst().end() <= offset) {
      blocks.removeFirst();
      source.release();
    }
    while (blocks.isEmpty()) {
      if (pull().end() <= offset) {
        blocks.removeFirst();
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
        blocks.addLast(block);
        return block;
      }
      source.release();
    }
  }
}
