package io.howdah.log.recovery;

import io.howdah.core.Execution;
import io.howdah.core.storage.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads segments from front to back in blocks, past the page cache where the storage can, and ahead
 * of its one consumer on a thread of its own. Where there is one processor only, it reads when
 * asked instead. Takes {@value #BLOCKS} blocks of {@value #BLOCK_BYTES} bytes, whatever the log's
 * size.
 */
final class ReadAhead implements AutoCloseable {

  /** Large enough for a device's full sequential rate. */
  static final int BLOCK_BYTES = 2 << 20;

  /** The longest batch touches five, the rest are read meanwhile. */
  static final int BLOCKS = 8;

  private static final long PARK_NANOS = 1_000_000;

  /**
   * Consecutive bytes of one segment; the reader's until it is handed over, then the consumer's.
   */
  static final class Block {
    final ByteBuffer bytes;

    /** Index of the segment. */
    int segment;

    /** Where in the segment the block starts. */
    int offset;

    /** How many of its bytes are there; fewer than a block at a segment's end. */
    int length;

    Block(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    int end() {
      return offset + length;
    }
  }

  private final Storage storage;
  private final StagingMemory memory;
  private final List<SegmentFile> segments;
  private final Execution execution;
  private final Block[] blocks = new Block[BLOCKS];
  private final @Nullable Thread reader;
  private final Thread consumer = Thread.currentThread();

  // Where the reader is; its own.
  private int segment;
  private int offset;
  private @Nullable StorageFile file;

  private volatile long filled;
  private volatile boolean exhausted;
  private volatile @Nullable Throwable failure;
  private volatile boolean ended;

  // The consumer's: how many blocks it took, and how many of these it gave back.
  private long taken;
  private volatile long released;
  private volatile boolean closing;

  ReadAhead(
      Storage storage, StagingMemory memory, List<SegmentFile> segments, Execution execution) {
    this.storage = storage;
    this.memory = memory;
    this.segments = segments;
    this.execution = execution;
    boolean alone = segments.isEmpty() || execution.availableProcessors() == 1;
    this.reader = alone ? null : execution.start("howdah-log-reader", this::run);
  }

  /**
   * Returns the next block, or null after the last. It stays valid until as many blocks were {@link
   * #release}d as came up to it.
   */
  @Nullable Block next() {
    if (reader == null) {
      if (!fill()) {
        return null;
      }
    } else {
      while (taken == filled) {
        Throwable cause = failure;
        if (cause instanceof RuntimeException e) {
          throw e;
        }
        if (cause instanceof Error e) {
          throw e;
        }
        if (exhausted && taken == filled) {
          return null;
        }
        execution.parkNanos(this, PARK_NANOS);
      }
    }
    return blocks[(int) (taken++ % BLOCKS)];
  }

  /** Gives back the oldest block taken. */
  void release() {
    long count = released + 1;
    released = count;
    if (reader != null) {
      execution.unpark(reader);
    }
  }

  private void run() {
    try {
      while (!closing) {
        if (filled - released == BLOCKS) {
          execution.parkNanos(this, PARK_NANOS);
        } else if (!fill()) {
          exhausted = true;
          break;
        } else {
          execution.unpark(consumer);
        }
      }
    } catch (Throwable t) {
      // Not rethrown: the consumer finds it.
      failure = t;
    } finally {
      closeFile();
      ended = true;
      execution.unpark(consumer);
    }
  }

  /** Reads one block; returns false if there is none left. */
  private boolean fill() {
    while (segment < segments.size()) {
      SegmentFile current = segments.get(segment);
      if (offset < current.endBytes()) {
        read(current);
        return true;
      }
      closeFile();
      segment++;
      offset = 0;
    }
    return false;
  }

  private void read(SegmentFile current) {
    StorageFile open = file;
    if (open == null) {
      open = storage.open(current.name(), Storage.Access.DIRECT);
      file = open;
    }
    int index = (int) (filled % BLOCKS);
    Block block = blocks[index];
    if (block == null) {
      block = new Block(memory.allocate(BLOCK_BYTES));
      blocks[index] = block;
    }
    // Whole blocks even at the end: direct reads want aligned lengths.
    int length = Math.min(open.read(offset, block.bytes.clear()), current.endBytes() - offset);
    block.segment = segment;
    block.offset = offset;
    block.length = length;
    // A file that shrank since it was listed ends here; the consumer notices.
    offset = length < BLOCK_BYTES ? current.endBytes() : offset + length;
    long count = filled + 1;
    filled = count;
  }

  private void closeFile() {
    StorageFile open = file;
    if (open != null) {
      file = null;
      open.close();
    }
  }

  /** Ends the reader's thread. */
  @Override
  public void close() {
    closing = true;
    if (reader == null) {
      closeFile();
      return;
    }
    while (!ended) {
      execution.unpark(reader);
      execution.parkNanos(this, PARK_NANOS);
    }
  }
}
