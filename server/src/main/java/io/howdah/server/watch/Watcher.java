package io.howdah.server.watch;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The events that wait for one watching client: at most so many bytes of lines. An event that does
 * not fit is dropped; the next one that fits comes behind a line {@code skipped=N}. Thread-safe.
 */
public final class Watcher implements AutoCloseable {

  private static final int FIRST_BYTES = 1 << 10;
  private static final byte[] NONE = {};

  /** The longest line of skipped events: a word and a number of 64 bits. */
  private static final int SKIPPED_LINE_BYTES = 32;

  private final Watchers all;
  private final int kinds;
  private final int capacity;
  private final LongAdder skipped = new LongAdder();

  // Guarded by this:
  private byte[] bytes = NONE;
  private int length;
  private @Nullable Runnable listener;
  private boolean isListenerTold;
  private boolean isClosed;

  /** An event did not fit: no other one is tried before the client has taken something. */
  private volatile boolean isFull;

  Watcher(Watchers all, int kinds, int capacity) {
    this.all = all;
    this.kinds = kinds;
    this.capacity = capacity;
  }

  boolean wants(EventKind kind) {
    return (kinds & kind.bit) != 0;
  }

  int kinds() {
    return kinds;
  }

  /** Returns whether an event may fit. Writes nothing, so a watcher that is full costs little. */
  boolean hasRoom() {
    return !isFull;
  }

  /** Counts an event that is dropped. */
  void skip() {
    skipped.increment();
  }

  /** Adds a line, or counts it as skipped; returns whether it was added. */
  boolean offer(byte[] line, int count) {
    Runnable woken = null;
    synchronized (this) {
      if (isClosed) {
        return false;
      }
      if (length + SKIPPED_LINE_BYTES + count > capacity) {
        isFull = true;
        skipped.increment();
        return false;
      }
      long missing = skipped.sumThenReset();
      if (missing > 0) {
        byte[] note = ("skipped=" + missing + "\n").getBytes(StandardCharsets.US_ASCII);
        append(note, note.length);
      }
      append(line, count);
      if (!isListenerTold) {
        woken = listener;
        isListenerTold = woken != null;
      }
    }
    if (woken != null) {
      woken.run();
    }
    return true;
  }

  private void append(byte[] line, int count) {
    if (length + count > bytes.length) {
      int doubled = Math.max(FIRST_BYTES, 2 * bytes.length);
      bytes = Arrays.copyOf(bytes, Math.min(capacity, Math.max(doubled, length + count)));
    }
    System.arraycopy(line, 0, bytes, length, count);
    length += count;
  }

  /**
   * Sets what is called when there is something to {@link #take}: once, and again after a call of
   * {@link #take} that found nothing. It is called in the thread of the event, and does not block.
   */
  public void listen(Runnable listener) {
    boolean hasMore;
    synchronized (this) {
      this.listener = listener;
      hasMore = length > 0 && !isListenerTold;
      isListenerTold |= hasMore;
    }
    if (hasMore) {
      listener.run();
    }
  }

  /** Returns all lines that wait, and makes room for others; null if there are none. */
  public synchronized byte @Nullable [] take() {
    if (length == 0) {
      isListenerTold = false;
      return null;
    }
    byte[] taken = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    bytes = NONE;
    length = 0;
    isFull = false;
    return taken;
  }

  /** Ends it: the client gets no more events. */
  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
      listener = null;
      bytes = NONE;
      length = 0;
    }
    all.remove(this);
  }
}
