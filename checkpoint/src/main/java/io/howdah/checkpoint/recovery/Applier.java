package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.StagingMemory;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A thread that replays what it is fed, in the order in which it is fed. Buffers go round between
 * feeder and thread; a feeder that is ahead of all of them waits.
 */
final class Applier implements AutoCloseable {

  /** One being filled, one being replayed, two to level out. */
  static final int BUFFERS = 4;

  private static final int BUFFER_BYTES = 1 << 19;
  private static final long PARK_NANOS = 1_000_000;

  private final RedoSink target;
  private final Execution execution;
  private final ByteBuffer[] buffers = new ByteBuffer[BUFFERS];
  private final Thread feeder = Thread.currentThread();
  private final Thread thread;

  private ByteBuffer filling;
  private long fed;

  private volatile long published;
  private volatile long replayed;
  private volatile boolean closing;
  private volatile boolean ended;
  private volatile @Nullable Throwable failure;

  Applier(RedoSink target, Execution execution, StagingMemory memory, String name) {
    this.target = target;
    this.execution = execution;
    for (int i = 0; i < BUFFERS; i++) {
      buffers[i] = memory.allocate(BUFFER_BYTES);
    }
    this.filling = buffers[0];
    this.thread = execution.start(name, this::run);
  }

  /** Feeds a run of words; at most a chunk's, which a buffer holds. */
  void add(long entryHead, ByteBuffer source, int at, int words) {
    int lengthBytes = words * Region.WORD_BYTES;
    if (filling.remaining() < lengthBytes + Long.BYTES) {
      flush();
    }
    ByteBuffer buffer = filling;
    buffer.putLong(entryHead);
    if (words == 1) {
      buffer.putLong(source.getLong(at));
    } else {
      buffer.put(buffer.position(), source, at, lengthBytes);
      buffer.position(buffer.position() + lengthBytes);
    }
  }

  /** Hands the buffer being filled to the thread and takes the next, once it is free. */
  void flush() {
    if (filling.position() == 0) {
      return;
    }
    fed++;
    published = fed;
    execution.unpark(thread);
    while (fed - replayed >= BUFFERS) {
      failIfFailed();
      execution.parkNanos(this, PARK_NANOS);
    }
    filling = buffers[(int) (fed % BUFFERS)];
    filling.clear();
  }

  /** Waits until the thread has replayed all that was flushed. */
  void await() {
    while (replayed != fed) {
      failIfFailed();
      execution.parkNanos(this, PARK_NANOS);
    }
    failIfFailed();
  }

  private void failIfFailed() {
    Throwable cause = failure;
    if (cause instanceof RuntimeException e) {
      throw e;
    }
    if (cause instanceof Error e) {
      throw e;
    }
  }

  private void run() {
    try {
      for (long next = 0; !closing; ) {
        if (next == published) {
          execution.parkNanos(this, PARK_NANOS);
          continue;
        }
        replay(buffers[(int) (next % BUFFERS)]);
        next++;
        // Volatile: the region's words are visible to whoever reads the count.
        replayed = next;
        execution.unpark(feeder);
      }
    } catch (Throwable t) {
      // Not rethrown: the feeder finds it.
      failure = t;
    } finally {
      ended = true;
      execution.unpark(feeder);
    }
  }

  private void replay(ByteBuffer buffer) {
    int end = buffer.position();
    for (int at = 0; at < end; ) {
      long entry = buffer.getLong(at);
      int words = RedoRecordLayout.entryRun(entry);
      at += Long.BYTES;
      target.redo(RedoRecordLayout.entryAddress(entry), buffer, at, words);
      at += words * Region.WORD_BYTES;
    }
  }

  @Override
  public void close() {
    closing = true;
    while (!ended) {
      execution.unpark(thread);
      execution.parkNanos(this, PARK_NANOS);
    }
  }
}
