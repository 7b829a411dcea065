package io.howdah.replica.node;

import io.howdah.core.Execution;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What the engine has told and the node has not handled yet, in order. A thread that adds to a full
 * inbox waits, which holds the engine back. One thread takes.
 *
 * @param <E> a message
 */
final class Inbox<E> {

  private static final long PARK_NANOS = 1_000_000;

  private final Execution execution;
  private final long maxBytes;
  private final Queue<Message<E>> messages = new ArrayDeque<>(); // guarded by this
  private long bytes; // guarded by this
  private boolean isClosed; // guarded by this
  private volatile @Nullable Thread taker;

  private record Message<E>(E message, int bytes) {}

  Inbox(Execution execution, long maxBytes) {
    this.execution = execution;
    this.maxBytes = maxBytes;
  }

  /** Adds a message, unless the inbox is closed. Waits while it is full. */
  void add(E message, int messageBytes) {
    while (!tryAdd(message, messageBytes)) {
      execution.parkNanos(this, PARK_NANOS);
    }
    Thread thread = taker;
    if (thread != null) {
      execution.unpark(thread);
    }
  }

  private synchronized boolean tryAdd(E message, int messageBytes) {
    if (isClosed) {
      return true;
    }
    if (bytes > 0 && bytes + messageBytes > maxBytes) {
      return false;
    }
    messages.add(new Message<>(message, messageBytes));
    bytes += messageBytes;
    return true;
  }

  /** Takes the next message; returns null if there is none within a time, or perhaps earlier. */
  @Nullable E take(long nanos) {
    taker = Thread.currentThread();
    E message = poll();
    if (message == null) {
      execution.parkNanos(this, nanos);
      message = poll();
    }
    return message;
  }

  private synchronized @Nullable E poll() {
    Message<E> first = messages.poll();
    if (first == null) {
      return null;
    }
    bytes -= first.bytes();
    return first.message();
  }

  /** Drops all messages, and those that come later. */
  synchronized void close() {
    isClosed = true;
    messages.clear();
    bytes = 0;
  }
}
