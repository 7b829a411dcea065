package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Backing;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.Region;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.alloc.TouchAhead;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stores that grow have memory touched ahead of them, and all other stores have not. */
@Timeout(60)
final class TouchAheadStoreTest {

  private static final int MAX_SIZE = 64 << 20;
  private static final int BLOCK = 1 << 18;
  private static final String THREAD = "howdah-touch";

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(MAX_SIZE)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 12);

  private final Threads threads = new Threads();
  private final ConcurrentLinkedQueue<Touch> touches = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isLate = new AtomicBoolean();

  /** A page that was touched, and where the top was. */
  private record Touch(long address, long top) {}

  /**
   * The system's threads; those that replay may be held, and rounds of the touching one counted.
   */
  private static final class Threads extends SystemThreads {
    final List<String> started = new CopyOnWriteArrayList<>();
    final AtomicInteger rounds = new AtomicInteger();
    final CountDownLatch replay = new CountDownLatch(1);

    /** How many starts of the touching thread fail. */
    final AtomicInteger refusals = new AtomicInteger();

    @Override
    public Thread start(String name, Runnable body) {
      if (name.equals(THREAD) && refusals.getAndDecrement() > 0) {
        throw new OutOfMemoryError("unable to create native thread, by the test");
      }
      started.add(name);
      return system.start(
          name,
          () -> {
            if (name.startsWith("howdah-replay")) {
              awaitReplay();
            }
            body.run();
          });
    }

    private void awaitReplay() {
      try {
        replay.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (isTouching()) {
        rounds.incrementAndGet();
      }
      super.parkNanos(blocker, isTouching() ? Math.min(nanos, 1_000_000) : nanos);
    }

    static boolean isTouching() {
      return Thread.currentThread().getName().equals(THREAD);
    }
  }

  /** Notes what the thread does. */
  private final class Watched extends ForwardingRegion {
    private volatile boolean isClosed;

    Watched(Region memory) {
      super(memory);
    }

    @Override
    public boolean compareAndSetLong(long address, long expected, long value) {
      if (Threads.isTouching()) {
        if (isClosed) {
          isLate.set(true);
        }
        touches.add(new Touch(address, getLongOpaque(RegionHeaderLayout.TOP_ADDRESS)));
      }
      return super.compareAndSetLong(address, expected, value);
    }

    @Override
    public void close() {
      isClosed = true;
      super.close();
    }
  }

  private void grow(Store store, int blocks) {
    for (int i = 0; i < blocks; i++) {
      store.run(tx -> tx.putLong(tx.allocate(BLOCK), 1));
    }
  }

  /** Waits until the thread has done what there was to do. */
  private void awaitRound() {
    int before = threads.rounds.get();
    while (threads.rounds.get() - before < 2) {
      Thread.onSpinWait();
    }
  }

  private void requireWithinBound() {
    assertThat(touches)
        .isNotEmpty()
        .allSatisfy(
            touch -> {
              assertThat(touch.address()).isLessThan(MAX_SIZE);
              assertThat(touch.address()).isLessThan(touch.top() + TouchAhead.MAX_AHEAD_BYTES);
            });
  }

  @Test
  void aStoreInMemoryThatGrowsIsTouchedAheadUntilItsEnd() {
    Region region = new Watched(Regions.anonymous(MAX_SIZE));
    try (Store store = TestStores.inMemory(OPTIONS.withExecution(threads), region)) {
      grow(store, 4);
      assertThat(threads.started).doesNotContain(THREAD);
      grow(store, 40);
      awaitRound();
      grow(store, 160);
      awaitRound();
      requireWithinBound();
      assertThat(threads.started).containsOnlyOnce(THREAD);
      grow(store, 20);
    }
    assertThat(isLate).isFalse();
  }

  @Test
  void aStoreGrowsWhereTheThreadCannotBeStartedAndTriesAgain() {
    threads.refusals.set(2);
    try (Store store =
        TestStores.inMemory(
            OPTIONS.withExecution(threads), new Watched(Regions.anonymous(MAX_SIZE)))) {
      grow(store, 80);
      assertThat(threads.refusals.get()).isNegative();
      assertThat(threads.started).containsOnlyOnce(THREAD);
      awaitRound();
      requireWithinBound();
    }
    assertThat(isLate).isFalse();
  }

  /** A storage whose region is watched, though its memory is a simulator's. */
  private Storage watched(Storage storage) {
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              if (method.getName().equals("observesMemory")) {
                return false;
              }
              Object result = method.invoke(storage, arguments);
              return result instanceof Region region && region.capacityBytes() == MAX_SIZE
                  ? new Watched(region)
                  : result;
            });
  }

  @ParameterizedTest // with SHARED no word waits once the store is open
  @EnumSource(names = {"MAPPED", "RESIDENT"})
  void nothingIsTouchedWhileWordsWaitForTheirReplay(Backing backing) {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    StoreOptions options =
        OPTIONS.withBacking(backing).withLogSegmentBytes(1 << 20).withMaxLogBytes(64 << 20);
    Store killed = Store.open(options.withStorage(disk.storage()));
    long block = killed.call(tx -> tx.allocate(BLOCK));
    // In one transaction, so that the log stays in one segment: then no summary is written, and no
    // allocation waits for the part of the log that the held threads would read.
    killed.run(
        tx -> {
          for (int i = 0; i < BLOCK / 8; i += 64) {
            tx.putLong(block + 8L * i, i + 1L);
          }
        });
    disk.kill();
    assertThatThrownBy(killed::close).isNotNull();

    try (Store store =
        Store.open(options.withStorage(watched(disk.storage())).withExecution(threads))) {
      try {
        assertThat(store.admin().replayStats().isDone()).isFalse();
        grow(store, 20);
        awaitRound();
        assertThat(store.admin().replayStats().isDone()).isFalse();
        assertThat(touches).isEmpty();
      } finally {
        threads.replay.countDown(); // else the store cannot close, and nobody hears what failed
      }
      while (!store.admin().replayStats().isDone()) {
        Thread.onSpinWait();
      }
      grow(store, 20);
      awaitRound();
      requireWithinBound();
      for (int i = 0; i < BLOCK / 8; i += 64) {
        int at = i;
        assertThat((long) store.read(tx -> tx.getLong(block + 8L * at))).isEqualTo(at + 1L);
      }
    }
    assertThat(isLate).isFalse();
    try (Store store = Store.open(options.withStorage(disk.storage()))) {
      assertThat(store.admin().stats().allocatedBytes()).isLessThan(12 << 20);
    }
  }

  @Test
  void aStoreOpenedForReadingHasNoSuchThread() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      grow(store, 1);
    }
    try (Store store =
        Store.open(
            OPTIONS
                .withStorage(watched(disk.storage()))
                .withReadOnly(true)
                .withExecution(threads))) {
      assertThatThrownBy(() -> grow(store, 20)).isInstanceOf(ReadOnlyStoreException.class);
    }
    assertThat(threads.started).doesNotContain(THREAD);
    assertThat(touches).isEmpty();
  }
}
