package io.howdah.server.net;

import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.ServerRow;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.FailureLog;
import io.howdah.server.items.ItemStore;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All connections, what they hold together, and what happened to them. Thread-safe. */
final class Connections {

  /** The store takes 65536 waits; a reply has one for each partition of its log, and one more. */
  private static final int MAX_DURABILITY_WAITS = 1 << 10;

  /** How long a client may leave a reply while others wait for the room that it takes. */
  private static final long MAX_DEBT_NANOS = 1_000_000_000;

  private final int maxDurabilityWaits;
  private final ConnectionLimits limits;
  private final CommandCounters counters;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong ids = new AtomicLong();
  private final AtomicLong unsentBytes = new AtomicLong();
  private final Peers peers = new Peers();
  private final AtomicInteger durabilityWaits = new AtomicInteger();
  private final AtomicLong partialBytes = new AtomicLong();
  private final LongAdder total = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder idleKicks = new LongAdder();
  private final LongAdder requestKicks = new LongAdder();
  private final LongAdder writeKicks = new LongAdder();
  private final LongAdder memoryKicks = new LongAdder();
  private final FailureLog failures = new FailureLog("a connection ended, as a command failed");
  private volatile boolean isStopping;
  private volatile String unixSocket = "";
  private volatile @Nullable ItemStore items;

  /** The time, to half a second: what connections read instead of the clock. */
  private volatile long now = System.nanoTime();

  Connections(ConnectionLimits limits, CommandCounters counters) {
    this(limits, counters, MAX_DURABILITY_WAITS);
  }

  /** For tests: with another number of replies that wait for the store's word. */
  Connections(ConnectionLimits limits, CommandCounters counters, int maxDurabilityWaits) {
    this.maxDurabilityWaits = maxDurabilityWaits;
    this.limits = limits;
    this.counters = counters;
  }

  ConnectionLimits limits() {
    return limits;
  }

  /** Takes a place for a connection, and returns whether there was one. */
  boolean enter() {
    if (!isStopping) {
      if (count.incrementAndGet() <= limits.maxConnections()) {
        total.increment();
        return true;
      }
      count.decrementAndGet();
    }
    rejected.increment();
    return false;
  }

  /** Gives a place back whose connection was not made. */
  void giveBack() {
    count.decrementAndGet();
  }

  long nextId() {
    return ids.incrementAndGet();
  }

  void add(Connection connection) {
    open.add(connection);
    if (isStopping) {
      connection.requestStop();
    }
  }

  /** Gives back the place and the memory of a connection that was closed. */
  void leave(Connection connection) {
    open.remove(connection);
    count.decrementAndGet();
  }

  int count() {
    return count.get();
  }

  /** Tells all connections, and those to come, to end once their commands have run. */
  void stop() {
    isStopping = true;
    open.forEach(Connection::requestStop);
  }

  /** Returns the time in nanoseconds as of the last {@link #expire}. */
  long now() {
    return now;
  }

  /** Closes the connections whose time is over. Called twice a second. */
  void expire() {
    expire(System.nanoTime());
  }

  /** As {@link #expire()}, at a time of the test's. */
  void expire(long now) {
    this.now = now;
    open.forEach(connection -> connection.expireIfDue(now));
    closeDebtors();
    closeReaders();
  }

  /** Tells from where connections read large values. */
  void readFrom(ItemStore items) {
    this.items = items;
  }

  /**
   * Closes connections that others wait for to read large values: those that read one and have not
   * taken a reply for a while, the oldest reply first, until the first who waits has room.
   */
  private void closeReaders() {
    ItemStore items = this.items;
    if (items == null) {
      return;
    }
    List<Connection> debtors = debtors(_ -> true);
    Set<ConnectionCache> inTheWay = Collections.newSetFromMap(new IdentityHashMap<>());
    inTheWay.addAll(items.inTheWay(debtors.stream().map(Connection::cache).toList()));
    debtors.stream().filter(one -> inTheWay.contains(one.cache())).forEach(Connection::requestKick);
  }

  /** Returns connections that have not taken a reply for a while, the oldest reply first. */
  private List<Connection> debtors(Predicate<Connection> which) {
    return open.stream()
        .filter(which)
        .filter(one -> one.debt().isSince(now - MAX_DEBT_NANOS))
        .sorted(Comparator.comparingLong(one -> one.debt().since() - now))
        .toList();
  }

  /**
   * Closes connections that others wait for: those that have not taken a reply for a while, the
   * oldest reply first, until the replies that are left take less than the limit by a quarter.
   */
  private void closeDebtors() {
    boolean isFull = unsentBytes.get() >= limits.maxUnsentBytes();
    List<Connection> debtors = debtors(one -> isFull || one.peer().hasHeld());
    IdentityHashMap<Peers.Peer, Long> left = new IdentityHashMap<>();
    long leftOfAll = unsentBytes.get();
    for (Connection debtor : debtors) {
      Peers.Peer peer = debtor.peer();
      long leftOfPeer = left.getOrDefault(peer, peer.unsent(0));
      if (leftOfPeer >= roomAgain(limits.maxUnsentBytes() / 2)
          || (isFull && leftOfAll >= roomAgain(limits.maxUnsentBytes()))) {
        debtor.requestKick();
        leftOfAll -= debtor.debt().bytes();
        left.put(peer, leftOfPeer - debtor.debt().bytes());
      }
    }
  }

  private static long roomAgain(long limit) {
    return limit - limit / 4;
  }

  void closeAll() {
    open.forEach(Connection::requestClose);
  }

  /** Tells at which unix socket the server listens. */
  void listensAt(String unixSocket) {
    this.unixSocket = unixSocket;
  }

  String unixSocket() {
    return unixSocket;
  }

  Peers peers() {
    return peers;
  }

  void unsent(Peers.Peer peer, long change) {
    unsentBytes.addAndGet(change);
    long _ = peer.unsent(change);
  }

  /**
   * Returns whether a connection waits before it runs commands: too much waits for all clients, or
   * half of that for those of its address. So one address leaves the other half to others. Among
   * the connections of an address, {@link #expire} closes those that hold the others.
   */
  boolean isUnsentFull(Peers.Peer peer) {
    return unsentBytes.get() >= limits.maxUnsentBytes()
        || peer.unsent(0) >= limits.maxUnsentBytes() / 2;
  }

  /**
   * Returns whether one more reply may wait for the store's own word that it is durable. The store
   * blocks who waits beyond its limit, and an event loop must not be blocked.
   */
  boolean enterDurabilityWait() {
    if (durabilityWaits.incrementAndGet() <= maxDurabilityWaits) {
      return true;
    }
    durabilityWaits.decrementAndGet();
    return false;
  }

  void leaveDurabilityWait() {
    durabilityWaits.decrementAndGet();
  }

  /** Counts bytes of partial commands, and returns whether there is room for them. */
  boolean partial(long change) {
    return partialBytes.addAndGet(change) <= limits.maxPartialBytes() || change <= 0;
  }

  void yielded() {
    counters.count(Counter.CONN_YIELDS);
  }

  void kicked(Connection.Deadline deadline) {
    switch (deadline) {
      case IDLE -> idleKicks.increment();
      case REQUEST -> requestKicks.increment();
      case WRITE -> writeKicks.increment();
      case NONE -> {}
    }
  }

  void outOfMemory() {
    memoryKicks.increment();
  }

  /** A connection ends for a failure, which is logged if it is not its client's or the store's. */
  void failed(Throwable cause) {
    boolean isTold =
        cause instanceof IOException
            || cause instanceof DecoderException // of TLS
            || cause instanceof StoreFailedException
            || cause instanceof StoreClosedException;
    if (!isTold) {
      failures.failed(cause);
    }
  }

  void reset() {
    total.reset();
    rejected.reset();
    idleKicks.reset();
    requestKicks.reset();
    writeKicks.reset();
    memoryKicks.reset();
  }

  /** Calls a function with the rows of {@code stats}. */
  void statistics(BiConsumer<String, String> row) {
    ServerRow.MAX_CONNECTIONS.write(row, limits.maxConnections());
    ServerRow.CURR_CONNECTIONS.write(row, count);
    ServerRow.TOTAL_CONNECTIONS.write(row, total);
    ServerRow.REJECTED_CONNECTIONS.write(row, rejected);
    ServerRow.CONNECTION_STRUCTURES.write(row, count);
    ServerRow.IDLE_KICKS.write(row, idleKicks);
    ServerRow.HOWDAH_REQUEST_TIMEOUTS.write(row, requestKicks);
    ServerRow.HOWDAH_WRITE_TIMEOUTS.write(row, writeKicks);
    ServerRow.HOWDAH_PARTIAL_REFUSED.write(row, memoryKicks);
    ServerRow.HOWDAH_UNSENT_BYTES.write(row, unsentBytes);
    ServerRow.HOWDAH_PARTIAL_BYTES.write(row, partialBytes);
    ServerRow.HOWDAH_DURABILITY_WAITS.write(row, durabilityWaits);
  }

  /** Calls a function with the rows of {@code stats conns}. */
  void describe(BiConsumer<String, String> row) {
    open.stream()
        .sorted(Comparator.comparingLong(Connection::id))
        .forEach(connection -> connection.describe(row, now));
  }
}
