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
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads segments in blocks from front to back, ahead of its one consumer, a {@link SegmentWindow}.
 * It bypasses the page cache if the storage permits. Two threads read, so that the device is busy
 * while one of them waits for a processor. With one processor, the consumer itself reads. The
 * memory is {@value #BLOCKS} blocks of at most {@value #BLOCK_BYTES} bytes, whatever the length of
 * the log.
 */
final class ReadAhead implements AutoCloseable {

  /** Enough for the full sequential rate of a device. */
  static final int BLOCK_BYTES = 1 << 20;

  /** The longest batch extends over nine blocks; the readers fill the others at the same time. */
  static final int BLOCKS = 12;

  private static final int READERS = 2;
  private static final long PARK_NANOS = 1_000_000;

  /**
   * Consecutive bytes of one segment. A block belongs to a reader until it is filled, then to the
   * consumer until it is released.
   */
  static final class Block {
    /** Empty until the block is first used. */
    ByteBuffer bytes = ByteBuffer.allocate(0);

    /** Index of the segment. */
    int segment;

    /** Offset of the block in the segment. */
    int offset;

    /** Number of valid bytes; at the end of a segment fewer than a block has. */
    int length;

    /** The number of this use of the block, from 1, in the order of the log. */
    private long number;

    /** The same number once the block is filled, before that an older one. */
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

  /** Length of a block, at most that of the longest segment. */
  private final int blockBytes;

  private final List<Reader> readers = new ArrayList<>();
  private final Thread consumer = Thread.currentThread();

  // The place of the next block, and the number of blocks that readers have claimed; guarded by
  // this.
  private int segment;
  private int offset;
  private long claimed;

  /** Whether all blocks are claimed. */
  private volatile boolean exhausted;

  /** Number of blocks that the consumer has received. */
  private long received;

  /** Number of blocks that the consumer has released. */
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
    int longest = 0;
    for (SegmentFile each : segments) {
      longest = Math.max(longest, each.endBytes());
    }
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
   * Returns the next block, or null after the last. It stays valid until the consumer has released
   * it: {@link #release} releases the oldest block that the consumer has.
   */
  @Nullable Block next() {
    Reader first = readers.getFirst();
    if (first.thread == null && !first.fill()) {
      return null;
    }
    for (Block block = filled(); ; block = filled()) {
      if (block != null) {
        received++;
        return block;
      }
      for (Reader reader : readers) {
        reader.failIfFailed();
      }
      if (exhausted && isAllReceived()) {
        return null;
      }
      execution.parkNanos(this, PARK_NANOS);
    }
  }

  private @Nullable Block filled() {
    Block block = blocks[(int) (received % BLOCKS)];
    return block.filledAs == received + 1 ? block : null;
  }

  private synchronized boolean isAllReceived() {
    return received == claimed;
  }

  /** Makes the readers skip the unread blocks of the segments before one. */
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

  /** Claims the next block, which the caller fills; null if all are in use or the log has ended. */
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

  /** Fills blocks: in its own thread once it is started, otherwise in that of the consumer. */
  private final class Reader implements Runnable, Consumer<Throwable> {

    private @Nullable EngineThread thread;

    private @Nullable StorageFile file;
    private int fileSegment;

    void start(String name) {
      EngineThread started = new EngineThread(execution, name);
      thread = started;
      started.start(this, this);
    }

    /** Wakes the consumer, which then asks the thread for its failure. */
    @Override
    public void accept(Throwable thrown) {
      execution.unpark(consumer);
    }

    /** The body of the thread. */
    @Override
    public void run() {
      EngineThread self = Objects.requireNonNull(thread);
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
      // Whole blocks even at the end, since direct reads require aligned lengths. If a file has
      // been truncated since it was listed, the block is too short, and the consumer notices.
      block.length = Math.min(open.read(block.offset, block.bytes.clear()), block.length);
      // Volatile: a consumer that reads this number sees the other fields of the block.
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
