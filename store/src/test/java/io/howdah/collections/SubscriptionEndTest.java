package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.HeardMessages;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangeListener;
import io.howdah.collections.changes.Subscription;
import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.lang.ref.WeakReference;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How subscriptions end, how long their ends wait, and what the program's log hears of them. */
final class SubscriptionEndTest {

  private static final long LONG_SECONDS = 60;
  private static final long CLOSE_NANOS = 10_000_000_000L;

  @RegisterExtension private final HeardMessages said = new HeardMessages("io.howdah.collections");

  /** A program that waits for a subscription does so on a clock of its own, and in no time. */
  private static final class QuickWaits extends SystemThreads {
    private final AtomicLong waited = new AtomicLong();

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }

    @Override
    public long nanoTime() {
      return system.nanoTime() + (isListener() ? 0 : waited.get());
    }

    private static boolean isListener() {
      return Thread.currentThread().getName().startsWith("howdah-changes");
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (blocker instanceof Subscription && !isListener()) {
        assertThat(Thread.currentThread().isInterrupted()).isFalse(); // it would spin
        waited.addAndGet(nanos);
      } else {
        system.parkNanos(blocker, nanos);
      }
    }
  }

  /** Pauses of subscriptions last until somebody ends them. */
  private static final class LongPauses extends SystemThreads {
    private final CountDownLatch pausing = new CountDownLatch(1);

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (blocker instanceof Subscription && QuickWaits.isListener()) {
        pausing.countDown();
        system.parkNanos(blocker, TimeUnit.SECONDS.toNanos(LONG_SECONDS));
      } else {
        system.parkNanos(blocker, nanos);
      }
    }
  }

  private static StoreOptions options() {
    return StoreOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2);
  }

  private static PersistentMap<Long, Long> open(Store store) {
    return store.map("map", Codec.int64(), Codec.int64(), ChangeJournal.keeping(100));
  }

  private static void put(Store store, PersistentMap<Long, Long> map, long key) {
    store.run(tx -> map.put(tx, key, key));
  }

  private static void await(BooleanSupplier condition) {
    long started = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - started).isLessThan(TimeUnit.SECONDS.toNanos(LONG_SECONDS));
      Execution.system().parkNanos(condition, 1_000_000);
    }
  }

  /** Waits for the next message about a map. A late one of another test is about another map. */
  private String message(String map) throws InterruptedException {
    LogRecord entry = said.next();
    while (!isAbout(map, entry)) {
      entry = said.next();
    }
    assertThat(entry.getLevel()).isEqualTo(Level.WARNING);
    return entry.getMessage();
  }

  private static boolean isAbout(String map, LogRecord entry) {
    return entry.getMessage().contains("\"" + map + "/");
  }

  private void requireSilence(String map) {
    assertThat(said.rest()).noneMatch(entry -> isAbout(map, entry));
  }

  @Test
  void aCloseEndsAPauseAndWhatFailedIsNoLongerSo() throws InterruptedException {
    LongPauses pauses = new LongPauses();
    try (Store store = Store.inMemory(options().withExecution(pauses))) {
      PersistentMap<Long, Long> map = open(store);
      Subscription subscription =
          map.changes()
              .subscribe(
                  0,
                  _ -> {
                    throw new IllegalStateException("never");
                  });
      put(store, map, 1);
      assertThat(pauses.pausing.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(subscription.failure()).isPresent();
      assertThat(subscription.position()).isZero();
      subscription.close();
      assertThat(subscription.isOpen()).as("the pause would have taken longer").isFalse();
      assertThat(subscription.failure()).isEmpty();
      subscription.close();
    }
  }

  @Test
  void aCloseWaitsTenSecondsForAListenerWhateverInterruptsIt() throws InterruptedException {
    QuickWaits waits = new QuickWaits();
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (Store store = Store.inMemory(options().withExecution(waits))) {
      PersistentMap<Long, Long> map = open(store);
      Subscription subscription = map.changes().subscribe(0, untilReleased(entered, released));
      put(store, map, 1);
      assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
      waits.waited.set(0);
      Thread.currentThread().interrupt();
      subscription.close();
      assertThat(Thread.interrupted()).as("the interrupt is the caller's").isTrue();
      assertThat(waits.waited.get()).isLessThanOrEqualTo(CLOSE_NANOS + 1_000_000);
      assertThat(subscription.isOpen()).as("the listener has not returned").isTrue();
      released.countDown();
      await(() -> !subscription.isOpen());
      assertThat(subscription.failure()).isEmpty();
    }
  }

  private static ChangeListener<Long, Long> untilReleased(
      CountDownLatch entered, CountDownLatch released) {
    return _ -> {
      entered.countDown();
      released.await();
    };
  }

  @Test
  void theStoreWaitsTenSecondsForAllListenersTogether() throws InterruptedException {
    QuickWaits waits = new QuickWaits();
    CountDownLatch entered = new CountDownLatch(3);
    CountDownLatch released = new CountDownLatch(1);
    Store store = Store.inMemory(options().withExecution(waits));
    PersistentMap<Long, Long> map = open(store);
    for (int i = 0; i < 3; i++) {
      Subscription _ = map.changes().subscribe(0, untilReleased(entered, released));
    }
    put(store, map, 1);
    assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
    waits.waited.set(0);
    long started = System.nanoTime();
    store.close();
    long byItself = System.nanoTime() - started;
    assertThat(waits.waited.get()).isBetween(CLOSE_NANOS - byItself, CLOSE_NANOS + 3_000_000);
    released.countDown();
  }

  @Test
  void aListenerThatFailsAgainAndAgainIsToldOfOnce() throws InterruptedException {
    QuickPauses pauses = new QuickPauses();
    try (Store store = Store.inMemory(options().withExecution(pauses))) {
      PersistentMap<Long, Long> map =
          store.map("moody", Codec.int64(), Codec.int64(), ChangeJournal.keeping(100));
      AtomicLong left = new AtomicLong(5);
      BlockingQueue<Change<Long, Long>> told = new LinkedBlockingQueue<>();
      Subscription subscription =
          map.changes()
              .subscribe(
                  0,
                  change -> {
                    if (left.getAndDecrement() > 0) {
                      throw new IllegalStateException("no " + left);
                    }
                    told.add(change);
                  });
      put(store, map, 7);
      assertThat(told.poll(LONG_SECONDS, TimeUnit.SECONDS)).isNotNull();
      assertThat(message("moody"))
          .contains("at 0: the listener failed", "again with change 1", "no 4");
      await(() -> subscription.position() == 1);
      requireSilence("moody"); // four more failures in a row are the same story
      pauses.awaitWriters(); // a message while another one is being written is left out
      CountDownLatch held = new CountDownLatch(1);
      pauses.held = held;
      left.set(1);
      put(store, map, 8);
      assertThat(told.poll(LONG_SECONDS, TimeUnit.SECONDS)).isNotNull();
      await(() -> subscription.position() == 2);
      held.countDown(); // the message is written when the position is another one already
      assertThat(message("moody"))
          .contains("at 1: the listener failed", "again with change 2", "no 0");
      subscription.close();
      requireSilence("moody");
    }
  }

  /** Pauses of subscriptions take no time. */
  private static final class QuickPauses extends SystemThreads {
    private final AtomicLong skipped = new AtomicLong();
    private final Queue<Thread> writers = new ConcurrentLinkedQueue<>();

    /** The writer of the next message waits for it. */
    private volatile CountDownLatch held = new CountDownLatch(0);

    @Override
    public Thread start(String name, Runnable body) {
      if (!name.equals("howdah-message")) {
        return system.start(name, body);
      }
      CountDownLatch held = this.held;
      Thread writer =
          system.start(
              name,
              () -> {
                try {
                  held.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
                body.run();
              });
      writers.add(writer);
      return writer;
    }

    private void awaitWriters() throws InterruptedException {
      for (Thread writer : writers) {
        writer.join();
      }
    }

    @Override
    public long nanoTime() {
      return system.nanoTime() + (QuickWaits.isListener() ? skipped.get() : 0);
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (blocker instanceof Subscription && QuickWaits.isListener()) {
        skipped.addAndGet(nanos);
      } else {
        system.parkNanos(blocker, nanos);
      }
    }
  }

  @Test
  void aDroppedMapIsNamedInTheLog() throws InterruptedException {
    try (Store store = Store.inMemory(options())) {
      PersistentMap<Long, Long> map =
          store.map("dropped", Codec.int64(), Codec.int64(), ChangeJournal.keeping(100));
      Subscription subscription = map.changes().subscribe(0, _ -> {});
      put(store, map, 1);
      await(() -> subscription.position() == 1);
      assertThat(store.admin().drop("dropped")).isTrue();
      await(() -> !subscription.isOpen());
      assertThat(message("dropped")).contains("at 1: the subscription has ended");
      requireSilence("dropped");
      await(() -> store.admin().stats().subscriptions() == 0);
      assertThat(store.admin().stats().endedSubscriptions()).isEqualTo(1);
    }
  }

  @Test
  void theFiguresCountSubscriptionsAndHowFarTheSlowestIsBehind() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (Store store = Store.inMemory(options())) {
      PersistentMap<Long, Long> map = open(store);
      assertThat(store.admin().stats().subscriptionLag()).isZero();
      Subscription slow = map.changes().subscribe(0, untilReleased(entered, released));
      Subscription quick = map.changes().subscribe(0, _ -> {});
      for (long key = 1; key <= 5; key++) {
        put(store, map, key);
      }
      assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
      await(() -> quick.position() == 5);
      long readers = store.admin().stats().readOnlyCommits();
      assertThat(store.admin().stats().subscriptions()).isEqualTo(2);
      assertThat(store.admin().stats().subscriptionLag()).isEqualTo(5);
      assertThat(store.admin().stats().readOnlyCommits())
          .as("reading the lag begins no transaction")
          .isEqualTo(readers);
      released.countDown();
      await(() -> store.admin().stats().subscriptionLag() == 0);
      slow.close();
      quick.close();
      assertThat(store.admin().stats().subscriptions()).isZero();
      assertThat(store.admin().stats().endedSubscriptions())
          .as("those that the program has closed do not count")
          .isZero();
    }
  }

  @Test
  void aStoreThatStopsEndsSubscriptionsWithTheReason() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Store store = Store.open(options().withStorage(disk.storage()));
    PersistentMap<Long, Long> map = open(store);
    Subscription waiting = map.changes().subscribe(0, _ -> {});
    // Its transaction is refused as soon as the store has stopped, and it throws what it is told.
    Subscription failing =
        map.changes()
            .subscribe(
                0,
                Durability.ASYNC,
                _ -> {
                  while (true) {
                    store.run(tx -> map.get(tx, 0L));
                  }
                });
    put(store, map, 1);
    await(() -> waiting.position() == 1);
    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.IO).forEver());
    assertThatThrownBy(() -> store.run(TxOptions.sync(), tx -> map.put(tx, 2L, 2L)))
        .isInstanceOf(StoreFailedException.class);
    await(() -> !waiting.isOpen() && !failing.isOpen());
    assertThat(waiting.failure().orElseThrow()).isInstanceOf(StoreFailedException.class);
    assertThat(failing.failure().orElseThrow()).isInstanceOf(StoreFailedException.class);
    assertThat(failing.position()).as("the change was not taken").isZero();
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
  }

  @Test
  void theStageOfTheEndHasItsReason() {
    Store store = Store.inMemory(options());
    PersistentMap<Long, Long> map = open(store);
    Subscription closed = map.changes().subscribe(0, _ -> {});
    Subscription lost = map.changes().subscribe(0, _ -> {});
    closed.close();
    assertThat(closed.whenEnded()).isCompletedWithValue(null);
    assertThat(store.admin().stats().subscriptions()).isOne();
    assertThat(lost.whenEnded()).isNotDone();

    assertThat(store.admin().drop("map")).isTrue();
    await(() -> !lost.isOpen());
    assertThatThrownBy(lost.whenEnded().toCompletableFuture()::join)
        .hasCauseInstanceOf(CollectionMismatchException.class);

    Subscription open = open(store).changes().subscribe(0, _ -> {});
    store.close();
    assertThatThrownBy(open.whenEnded().toCompletableFuture()::join)
        .hasCauseInstanceOf(StoreClosedException.class);
    assertThat(open.failure()).isEmpty();
  }

  /** The subscription ends between two calls, without another look at the store. */
  @Test
  void aListenerThatClosesTheStoreEndsItsSubscriptionWithTheReason() {
    Store store = Store.inMemory(options());
    PersistentMap<Long, Long> map = open(store);
    Subscription subscription = map.changes().subscribe(0, _ -> store.close());
    put(store, map, 1);
    assertThatThrownBy(subscription.whenEnded().toCompletableFuture()::join)
        .hasCauseInstanceOf(StoreClosedException.class);
  }

  @Test
  void aSubscriptionThatHasEndedIsForgotten() throws InterruptedException {
    try (Store store = Store.inMemory(options())) {
      WeakReference<Object> listener = new WeakReference<>(endedListener(store, open(store)));
      await(
          () -> {
            System.gc();
            return listener.get() == null;
          });
    }
  }

  private static Object endedListener(Store store, PersistentMap<Long, Long> map)
      throws InterruptedException {
    BlockingQueue<Change<Long, Long>> told = new LinkedBlockingQueue<>();
    try (Subscription _ = map.changes().subscribe(0, told::add)) {
      put(store, map, 1);
      assertThat(told.poll(LONG_SECONDS, TimeUnit.SECONDS)).isNotNull();
    }
    return told;
  }
}
