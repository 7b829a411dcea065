package io.howdah.log.recovery;

import io.howdah.core.Execution;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads segments from front to back in blocks, past the page cache where the storage can, and ahead
 * of its one consumer on threads of its own. There are two, so that the device has something to do
 * while one waits for a processor. Where there is one processor only, the consumer reads when it
 * asks. Takes {@value #BLOCKS} blocks of at most {@value #BLOCK_BYTES} bytes, whatever the log's
 * size.
 */
final class ReadAhead implements AutoCloseable {

  /** Large enough for a device's full sequential rate. */
  static final int BLOCK_BYTES = 1 << 20;

  /** The longest batch touches nine, the rest are read meanwhile. */
  static final int BLOCKS = 12;

  private static final int READERS = 2;
  private static final long PARK_NANOS = 1_000_000;

  /**
   * Consecutive bytes of one segment; a reader's until it is filled, then the consumer's until it
   * is released.
   */
  static final class Block {
    /** Empty until the block is first used. */
    ByteBuffer bytes = ByteBuffer.allocate(0);

    /** Index of the segment. */
    int segment;

    /** Where in the segment the block starts. */
    int offset;

    /** How many of its bytes are there; fewer than a block at a segment's end. */
    int length;

    /** How many blocks come up to this one. */
    private long number;

    /** That number, once the block is filled. */
    private volatile long filledAs;

    int end() {
      return offset + length;
    }
  }

  private final Storage storage;
  private final StagingMemory memory;
  private final List<SegmentFile> segments;
  private final Execution execution;
  private final Block[] blocks = new Block[BLOCKS];

  /** How many bytes a block has: no more than the longest segment. */
  private final int blockBytes;

  private final List<Reader> readers = new ArrayList<>();
  private final Thread consumer = Thread.currentThread();

  // What is claimed next, and how many blocks were; guarded by this.
  private int segment;
  private int offset;
  private long claimed;

  private volatile boolean exhausted;

  // The consumer's: how many blocks it took, and how many of these it gave back.
  private long taken;
  private volatile long released;
  private volatile int skipTo;

  ReadAhead(
      Storage storage,
      StagingMemory memory,
      List<SegmentFile> segments,
      int from,
      Execution execution) {
    this.segment = from;
    this.storage = storage;
    this.memory = memory;
    this.segments = segments;
    this.execution = execution;
    int longest = segments.stream().mapToInt(SegmentFile::endBytes).max().orElse(0);
    this.blockBytes =
        (int) Math.min(BLOCK_BYTES, Alignment.up((long) longest, BatchLayout.ALIGNMENT));
    for (int i = 0; i < BLOCKS; i++) {
      blocks[i] = new Block();
    }
    int threads = segments.isEmpty() || execution.availableProcessors() == 1 ? 0 : READERS;
    for (int i = 0; i < Math.max(1, threads); i++) {
      readers.add(new Reader());
    }
    boolean areStarted = false;
    try {
      for (int i = 0; i < threads; i++) {
        readers.get(i).start("howdah-log-reader-" + i);
      }
      areStarted = true;
    } finally {
      if (!areStarted) {
        close(); // ends the started threads, which write to memory of the caller
      }
    }
  }

  /**
   * Returns the next block, or null after the last. It stays valid until as many blocks were {@link
   * #release}d as came up to it.
   */
  @Nullable Block next() {
    Reader first = readers.getFirst();
    if (first.thread == null && !first.fill()) {
      return null;
    }
    for (Block block = filled(); ; block = filled()) {
      if (block != null) {
        taken++;
        return block;
      }
      readers.forEach(Reader::failIfFailed);
      if (exhausted && isAllTaken()) {
        return null;
      }
      execution.parkNanos(this, PARK_NANOS);
    }
  }

  private @Nullable Block filled() {
    Block block = blocks[(int) (taken % BLOCKS)];
    return block.filledAs == taken + 1 ? block : null;
  }

  private synchronized boolean isAllTaken() {
    return taken == claimed;
  }

  /** Leaves out what is not read yet of the segments before one. */
  void skipTo(int index) {
    skipTo = index;
  }

  /** Releases the oldest block of the consumer. */
  void release() {
    long count = released + 1;
    released = count;
    for (Reader reader : readers) {
      if (reader.thread != null) {
        reader.thread.unpark();
      }
    }
  }

  /** Claims the next block for the caller to fill; null if all are in use, or none is left. */
  private synchronized @Nullable Block claim() {
    while (segment < segments.size()
        && (segment < skipTo || offset >= segments.get(segment).endBytes())) {
      segment++;
      offset = 0;
    }
    if (segment == segments.size()) {
      exhausted = true;
      return null;
    }
    if (claimed - released == BLOCKS) {
      return null;
    }
    Block block = blocks[(int) (claimed % BLOCKS)];
    if (block.bytes.capacity() == 0) {
      block.bytes = memory.allocate(blockBytes);
    }
    block.segment = segment;
    block.offset = offset;
    block.length = Math.min(blockBytes, segments.get(segment).endBytes() - offset);
    offset += blockBytes;
    claimed++;
    block.number = claimed;
    return block;
  }

  /** Ends the readers' threads. */
  @Override
  public void close() {
    for (Reader reader : readers) {
      reader.close();
    }
  }

  /** Fills blocks, on a thread of its own if it is started. */
  private final class Reader {

    private @Nullable EngineThread thread;

    private @Nullable StorageFile file;
    private int fileSegment;

    void start(String name) {
      EngineThread started = new EngineThread(execution, name);
      thread = started;
      started.start(() -> run(started), _ -> execution.unpark(consumer));
    }

    private void run(EngineThread self) {
      try {
        while (!self.isClosing() && !exhausted) {
          if (fill()) {
            execution.unpark(consumer);
          } else if (!exhausted) {
            execution.parkNanos(ReadAhead.this, PARK_NANOS);
          }
        }
      } finally {
        closeFile();
        execution.unpark(consumer);
      }
    }

    /** Reads one block; returns false if there is none to read. */
    boolean fill() {
      Block block = claim();
      if (block == null) {
        return false;
      }
      StorageFile open = file;
      if (open == null || fileSegment != block.segment) {
        closeFile();
        open = storage.open(segments.get(block.segment).name(), Storage.Access.DIRECT);
        file = open;
        fileSegment = block.segment;
      }
      // Whole blocks even at the end: direct reads want aligned lengths. A file that shrank since
      // it was listed ends early; the consumer notices.
      block.length = Math.min(open.read(block.offset, block.bytes.clear()), block.length);
      // The block's other fields are visible to the consumer once it reads this one.
      block.filledAs = block.number;
      return true;
    }

    private void closeFile() {
      StorageFile open = file;
      if (open != null) {
        file = null;
        open.close();
      }
    }

    void failIfFailed() {
      if (thread != null) {
        thread.failIfFailed();
      }
    }

    void close() {
      if (thread == null) {
        closeFile();
      } else {
        thread.close();
      }
    }
  }
}
