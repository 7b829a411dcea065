package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangeListener;
import io.howdah.collections.changes.ChangesLostException;
import io.howdah.collections.changes.Subscription;
import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import io.howdah.txn.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners to the changes of a map: what they are told of, and what they may do. */
final class SubscriptionTest {

  private static final long LONG_SECONDS = 30;

  private final WordStore store = WordStore.inMemory(options());
  private final PersistentMap<Long, Long> map = open(store, 1000);
  private final BlockingQueue<Change<Long, Long>> told = new LinkedBlockingQueue<>();

  private static WordOptions options() {
    return WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2);
  }

  private static PersistentMap<Long, Long> open(WordStore store, long kept) {
    return store.map("map", Codec.int64(), Codec.int64(), ChangeJournal.keeping(kept));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void put(long... keys) {
    for (long key : keys) {
      store.run(tx -> map.put(tx, key, 10 * key));
    }
  }

  private static Change<Long, Long> change(long position, long key) {
    return new Change.Put<>(position, key, 10 * key);
  }

  private Change<Long, Long> next() throws InterruptedException {
    return told.poll(LONG_SECONDS, TimeUnit.SECONDS);
  }

  private static void await(BooleanSupplier condition) {
    long started = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - started).isLessThan(TimeUnit.SECONDS.toNanos(LONG_SECONDS));
      Execution.system().parkNanos(condition, 1_000_000);
    }
  }

  @Test
  void aListenerIsToldOfWhatWasAndOfWhatComes() throws InterruptedException {
    put(1, 2);
    Subscription all = map.changes().subscribe(0, told::add);
    assertThat(next()).isEqualTo(change(1, 1));
    assertThat(next()).isEqualTo(change(2, 2));
    store.run(tx -> map.remove(tx, 1L));
    assertThat(next()).isEqualTo(new Change.Removed<>(3, 1L));
    put(3);
    assertThat(next()).isEqualTo(change(4, 3));
    await(() -> all.position() == 4);
    assertThat(all.failure()).isEmpty();
    all.close();
    assertThat(all.isOpen()).isFalse();
    put(4);
    Subscription later = map.changes().subscribe(all.position(), told::add);
    assertThat(next()).isEqualTo(change(5, 4));
    later.close();
    assertThat(told).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void eightWritersAreHeardInTheOrderOfTheirCommits(Durability survived)
      throws InterruptedException, ExecutionException, TimeoutException {
    int writers = 8;
    int steps = 60;
    Subscription subscription = map.changes().subscribe(0, survived, told::add);
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int w = 0; w < writers; w++) {
      long writer = w;
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  for (int i = 0; i < steps; i++) {
                    long key = (writer + i) % 5;
                    // Each transaction counts one key, and notes the sum of all.
                    store.run(
                        tx -> {
                          map.merge(tx, key, 1L, Long::sum);
                          map.merge(tx, 100L, 1L, Long::sum);
                        });
                  }
                  end.complete(null);
                } catch (Throwable t) {
                  end.completeExceptionally(t);
                }
              });
    }
    for (CompletableFuture<Void> end : ends) {
      end.get(LONG_SECONDS, TimeUnit.SECONDS);
    }
    // A transaction writes the next value of one key, and right behind it that of the sum.
    Map<Long, Long> values = new HashMap<>();
    for (long n = 1; n <= 2L * writers * steps; n++) {
      Change<Long, Long> change = next();
      assertThat(change.position()).isEqualTo(n);
      assertThat(change.key() == 100).isEqualTo(n % 2 == 0);
      long value = ((Change.Put<Long, Long>) change).value();
      assertThat(value).isEqualTo(values.merge(change.key(), 1L, Long::sum));
    }
    subscription.close();
    assertThat(subscription.failure()).isEmpty();
    assertThat(told).isEmpty();
  }

  @Test
  void aListenerThatThrowsIsCalledAgainAndOthersGoOn() throws InterruptedException {
    AtomicInteger failures = new AtomicInteger(2);
    AtomicInteger calls = new AtomicInteger();
    BlockingQueue<Change<Long, Long>> others = new LinkedBlockingQueue<>();
    CountDownLatch isLookedAt = new CountDownLatch(1);
    Subscription failing =
        map.changes()
            .subscribe(
                0,
                change -> {
                  if (calls.incrementAndGet() == 3) {
                    // However slow this test is, the failure stands until it has been looked at.
                    assertThat(isLookedAt.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
                  }
                  if (change.position() == 2 && failures.getAndDecrement() > 0) {
                    throw new java.io.IOException("no mail today");
                  }
                  told.add(change);
                });
    try (Subscription other = map.changes().subscribe(0, others::add)) {
      put(1, 2, 3);
      await(() -> failing.failure().isPresent());
      assertThat(failing.failure().orElseThrow()).hasMessage("no mail today");
      assertThat(failing.position()).isEqualTo(1);
      await(() -> others.size() == 3);
      assertThat(other.failure()).isEmpty();
      isLookedAt.countDown();
      assertThat(List.of(next(), next(), next()))
          .containsExactly(change(1, 1), change(2, 2), change(3, 3));
      await(() -> failing.position() == 3);
      assertThat(calls).hasValue(5);
      assertThat(failing.failure()).isEmpty();
      assertThat(failing.isOpen()).isTrue();
    }
    failing.close();
  }

  @Test
  void anErrorOfAListenerIsAFailureLikeOthers() {
    try (Subscription failing =
        map.changes()
            .subscribe(
                0,
                _ -> {
                  throw new StackOverflowError("listener");
                })) {
      put(1);
      await(() -> failing.failure().isPresent());
      assertThat(failing.failure().orElseThrow()).isInstanceOf(StackOverflowError.class);
      assertThat(failing.isOpen()).isTrue();
    }
    put(2);
  }

  @Test
  void aListenerThatBlocksHoldsUpItselfAlone() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Subscription blocked =
        map.changes()
            .subscribe(
                0,
                _ -> {
                  entered.countDown();
                  released.await();
                });
    Subscription other = map.changes().subscribe(0, told::add);
    put(1, 2);
    assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(next()).isEqualTo(change(1, 1));
    assertThat(next()).isEqualTo(change(2, 2));
    Thread closer = Thread.ofVirtual().start(blocked::close);
    await(() -> closer.getState() == Thread.State.TIMED_WAITING); // for the listener
    put(3);
    assertThat(next()).isEqualTo(change(3, 3));
    released.countDown();
    assertThat(closer.join(Duration.ofSeconds(LONG_SECONDS))).isTrue();
    assertThat(blocked.isOpen()).isFalse();
    assertThat(blocked.position()).as("it was called no more").isEqualTo(1);
    other.close();
  }

  @Test
  void aListenerMayRunTransactionsThatChangeItsMap() throws InterruptedException {
    Subscription subscription =
        map.changes()
            .subscribe(
                0,
                change -> {
                  told.add(change);
                  if (change.key() < 5) {
                    put(change.key() + 1);
                  }
                });
    put(1);
    for (int n = 1; n <= 5; n++) {
      assertThat(next()).isEqualTo(change(n, n));
    }
    subscription.close();
  }

  @Test
  void aListenerMayCloseItsSubscription() {
    CompletableFuture<Subscription> own = new CompletableFuture<>();
    Subscription subscription =
        map.changes()
            .subscribe(
                0,
                change -> {
                  told.add(change);
                  own.get(LONG_SECONDS, TimeUnit.SECONDS).close();
                });
    own.complete(subscription);
    put(1, 2, 3);
    await(() -> !subscription.isOpen());
    assertThat(told).containsExactly(change(1, 1));
    assertThat(subscription.failure()).isEmpty();
  }

  @Test
  void aListenerMayCloseTheStore() {
    AtomicBoolean returned = new AtomicBoolean();
    Subscription waiting = map.changes().subscribe(0, told::add);
    Subscription closing =
        map.changes()
            .subscribe(
                0,
                _ -> {
                  store.close();
                  returned.set(true);
                });
    put(1);
    await(() -> !closing.isOpen());
    assertThat(returned).isTrue();
    assertThat(waiting.isOpen()).isFalse();
    assertThat(closing.failure()).isEmpty();
    assertThatThrownBy(() -> map.changes().subscribe(0, told::add))
        .isInstanceOf(StoreClosedException.class);
  }

  @Test
  void closingTheStoreEndsSubscriptionsThatWaitFailAndRun() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    Subscription waiting = map.changes().subscribe(0, told::add);
    Subscription failing =
        map.changes()
            .subscribe(
                0,
                _ -> {
                  throw new IllegalStateException();
                });
    Subscription running =
        map.changes()
            .subscribe(
                0,
                _ -> {
                  entered.countDown();
                  released.await();
                  ended.set(true);
                });
    put(1, 2);
    assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
    await(() -> failing.failure().isPresent() && waiting.position() == 2);
    Thread closer = Thread.ofVirtual().start(store::close);
    await(() -> !waiting.isOpen() && !failing.isOpen());
    assertThat(running.isOpen()).isTrue();
    released.countDown();
    assertThat(closer.join(Duration.ofSeconds(LONG_SECONDS))).isTrue();
    assertThat(ended).as("closing has waited for the listener").isTrue();
    assertThat(running.isOpen()).isFalse();
  }

  @Test
  void aListenersInterruptIsItsOwn() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    Subscription subscription =
        map.changes()
            .subscribe(
                0,
                change -> {
                  assertThat(Thread.currentThread().isInterrupted()).isFalse();
                  threads.add(Thread.currentThread());
                  told.add(change);
                  Thread.currentThread().interrupt();
                });
    put(1);
    assertThat(next()).isEqualTo(change(1, 1));
    await(() -> subscription.position() == 1);
    threads.getFirst().interrupt(); // while it waits: it must neither end nor spin on
    put(2);
    assertThat(next()).isEqualTo(change(2, 2));
    await(() -> subscription.position() == 2);
    assertThat(subscription.failure()).isEmpty();
    subscription.close();
    assertThat(subscription.isOpen()).isFalse();
  }

  @Test
  void aListenerThatIsOvertakenLearnsIt() throws InterruptedException {
    PersistentMap<Long, Long> few =
        store.map("few", Codec.int64(), Codec.int64(), ChangeJournal.keeping(3));
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Subscription slow =
        few.changes()
            .subscribe(
                0,
                _ -> {
                  entered.countDown();
                  released.await();
                });
    store.run(tx -> few.put(tx, 1L, 1L));
    assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
    for (long key = 2; key <= 9; key++) {
      long own = key;
      store.run(tx -> few.put(tx, own, own));
    }
    released.countDown();
    await(() -> !slow.isOpen());
    assertThat(slow.failure().orElseThrow())
        .isInstanceOfSatisfying(
            ChangesLostException.class,
            lost -> {
              assertThat(lost.position()).isEqualTo(1);
              assertThat(lost.oldest()).isEqualTo(6);
            });
    assertThatThrownBy(() -> few.changes().subscribe(5, told::add))
        .isInstanceOf(ChangesLostException.class);
    few.changes().subscribe(6, told::add).close();
  }

  @SuppressWarnings("NullAway") // what a program without its checks may pass
  private static ChangeListener<Long, Long> nothing() {
    return null;
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, 3, Long.MAX_VALUE})
  void aPositionThatIsNotThereIsRefused(long position) {
    put(1, 2);
    assertThatThrownBy(() -> map.changes().subscribe(position, told::add))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("" + position);
    assertThatThrownBy(() -> store.read(tx -> map.changes().after(tx, position, 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.read(tx -> map.changes().after(tx, 0, 0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.changes().subscribe(0, nothing()))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void aDroppedMapEndsItsSubscriptions() {
    Subscription subscription = map.changes().subscribe(0, told::add);
    put(1);
    await(() -> subscription.position() == 1);
    assertThat(store.drop("map")).isTrue();
    await(() -> !subscription.isOpen());
    assertThat(subscription.failure().orElseThrow())
        .isInstanceOf(CollectionMismatchException.class);
    Blocks.assertNothingLeaks(store);
  }

  /** A codec whose values cannot be read for a while. */
  private static final class Moody implements Codec<Long> {
    private volatile boolean refuses;

    @Override
    public String name() {
      return "moody";
    }

    @Override
    public void encode(Long value, Encoder out) {
      out.putLong(value);
    }

    @Override
    public Long decode(Decoder in) {
      if (refuses) {
        throw new CodecException("not now");
      }
      return in.getLong();
    }
  }

  @Test
  void changesThatCannotBeReadAreReadAgain() throws InterruptedException {
    Moody moody = new Moody();
    PersistentMap<Long, Long> odd =
        store.map("odd", Codec.int64(), moody, ChangeJournal.keeping(10));
    moody.refuses = true;
    Subscription subscription = odd.changes().subscribe(0, told::add);
    store.run(tx -> odd.put(tx, 1L, 10L));
    await(() -> subscription.failure().isPresent());
    assertThat(subscription.failure().orElseThrow()).hasMessage("not now");
    moody.refuses = false;
    assertThat(next()).isEqualTo(change(1, 1));
    await(() -> subscription.failure().isEmpty());
    subscription.close();
  }
}
