package io.howdah.server.watch;

import io.howdah.server.cache.ServerRow;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The clients that watch a server, and the events for them. An event is a line of {@code
 * name=value} words, as memcached 1.6 writes them. It has a number that grows, {@code gid}, because
 * events of different threads may come out of order. Thread-safe.
 */
public final class Watchers {

  /** How many clients may watch at a time, as in memcached. */
  public static final int MAX_WATCHERS = 20;

  /** How many bytes of lines wait for one client, unless told otherwise: 256 KiB. */
  public static final int DEFAULT_BUFFER_BYTES = 256 << 10;

  /** The smallest buffer, which has room for a line of the longest key. */
  public static final int MIN_BUFFER_BYTES = 4 << 10;

  /** The largest buffer. */
  public static final int MAX_BUFFER_BYTES = 64 << 20;

  private final int bufferBytes;
  private final AtomicLong ids = new AtomicLong();
  private final LongAdder written = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder skipped = new LongAdder();

  /** Replaced by a changed copy. */
  private volatile Watcher[] watchers = {};

  /** The kinds that somebody watches. */
  private volatile int kinds;

  /** Makes one without watchers, with buffers of {@link #DEFAULT_BUFFER_BYTES}. */
  public Watchers() {
    this(DEFAULT_BUFFER_BYTES);
  }

  /**
   * Makes one without watchers.
   *
   * @param bufferBytes of lines that wait for one client, {@value #MIN_BUFFER_BYTES} to {@value
   *     #MAX_BUFFER_BYTES}
   */
  public Watchers(int bufferBytes) {
    if (bufferBytes < MIN_BUFFER_BYTES || bufferBytes > MAX_BUFFER_BYTES) {
      throw new IllegalArgumentException(
          "the buffer of a watcher has "
              + MIN_BUFFER_BYTES
              + " to "
              + MAX_BUFFER_BYTES
              + " bytes, not "
              + bufferBytes);
    }
    this.bufferBytes = bufferBytes;
  }

  /** Returns whether somebody watches events of a kind. */
  public boolean isWatched(EventKind kind) {
    return (kinds & kind.bit) != 0;
  }

  /** Adds a watcher; returns null if there are {@link #MAX_WATCHERS}. */
  public synchronized @Nullable Watcher add(Set<EventKind> wanted) {
    if (watchers.length == MAX_WATCHERS) {
      return null;
    }
    int bits = 0;
    for (EventKind kind : wanted) {
      bits |= kind.bit;
    }
    Watcher watcher = new Watcher(this, bits, bufferBytes);
    Watcher[] more = Arrays.copyOf(watchers, watchers.length + 1);
    more[watchers.length] = watcher;
    set(more);
    return watcher;
  }

  synchronized void remove(Watcher watcher) {
    set(Arrays.stream(watchers).filter(one -> one != watcher).toArray(Watcher[]::new));
  }

  private void set(Watcher[] changed) {
    int bits = 0;
    for (Watcher watcher : changed) {
      bits |= watcher.kinds();
    }
    watchers = changed;
    kinds = bits;
  }

  /** Returns what the events of one connection are told by. */
  public ConnectionEvents connection(long id) {
    return new ConnectionEvents(this, id);
  }

  /**
   * Tells that an item was removed to make room.
   *
   * @param isFetched whether it was read since it was stored
   * @param secondsLeft until it would have expired; -1 if it would not
   * @param idleSeconds since its last use
   */
  public void evicted(
      byte[] key, boolean isFetched, long secondsLeft, long idleSeconds, int valueBytes) {
    EventLine line = begin(EventKind.EVICTIONS, "eviction");
    if (line != null) {
      line.key(key).word("fetch", isFetched ? "yes" : "no").number("ttl", secondsLeft);
      line.number("la", idleSeconds).word("clsid", "1").number("size", valueBytes);
      tell(EventKind.EVICTIONS, line);
    }
  }

  /** Begins a line; returns null if nobody takes it. */
  @Nullable EventLine begin(EventKind kind, String type) {
    if (!isWatched(kind)) {
      return null;
    }
    long id = ids.incrementAndGet();
    Watcher[] now = watchers;
    boolean isTaken = false;
    for (Watcher watcher : now) {
      isTaken |= watcher.wants(kind) && watcher.hasRoom();
    }
    if (isTaken) {
      return new EventLine(Instant.now(), id, type);
    }
    for (Watcher watcher : now) {
      if (watcher.wants(kind)) {
        skip(watcher);
      }
    }
    return null;
  }

  private void skip(Watcher watcher) {
    watcher.skip();
    skipped.increment();
  }

  /** Gives a line to all who watch events of its kind. */
  void tell(EventKind kind, EventLine line) {
    byte[] bytes = line.end();
    written.increment();
    for (Watcher watcher : watchers) {
      if (!watcher.wants(kind)) {
        continue;
      }
      if (!watcher.hasRoom()) {
        skip(watcher);
      } else if (watcher.offer(bytes, line.length())) {
        sent.increment();
      } else {
        skipped.increment();
      }
    }
  }

  /** Calls a function with the rows of {@code stats}. */
  public void statistics(BiConsumer<String, String> row) {
    ServerRow.LOG_WORKER_DROPPED.write(row, "0");
    ServerRow.LOG_WORKER_WRITTEN.write(row, written);
    ServerRow.LOG_WATCHER_SKIPPED.write(row, skipped);
    ServerRow.LOG_WATCHER_SENT.write(row, sent);
    ServerRow.LOG_WATCHERS.write(row, watchers.length);
  }
}
