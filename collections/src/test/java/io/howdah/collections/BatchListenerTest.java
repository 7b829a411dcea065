package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Subscription;
import io.howdah.core.Execution;
import io.howdah.txn.Durability;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listeners that take several changes in one call. */
final class BatchListenerTest {

  private static final long LONG_SECONDS = 30;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));
  private final PersistentMap<Long, Long> map =
      store.map("map", Codec.int64(), Codec.int64(), ChangeJournal.keeping(10_000));
  private final BlockingQueue<List<Long>> told = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    store.close();
  }

  private void put(long count) {
    store.run(
        tx -> {
          for (long i = 0; i < count; i++) {
            map.put(tx, i, i);
          }
        });
  }

  private static List<Long> positions(List<Change<Long, Long>> batch) {
    return batch.stream().map(Change::position).toList();
  }

  private static List<Long> range(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  private List<Long> next() throws InterruptedException {
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
  void aBatchHasWhatIsThereUpToItsMaximum() throws InterruptedException {
    put(250);
    try (Subscription subscription =
        map.changes()
            .subscribeBatches(0, Durability.ASYNC, 100, changes -> told.add(positions(changes)))) {
      assertThat(next()).isEqualTo(range(1, 100));
      assertThat(next()).isEqualTo(range(101, 200));
      assertThat(next()).isEqualTo(range(201, 250));
      await(() -> subscription.position() == 250);
      put(1);
      assertThat(next()).containsExactly(251L);
    }
  }

  @Test
  void aSmallMaximumHoldsWithinWhatIsReadTogether() throws InterruptedException {
    put(10);
    try (Subscription _ =
        map.changes()
            .subscribeBatches(3, Durability.ASYNC, 3, changes -> told.add(positions(changes)))) {
      assertThat(next()).containsExactly(4L, 5L, 6L);
      assertThat(next()).containsExactly(7L, 8L, 9L);
      assertThat(next()).containsExactly(10L);
    }
  }

  @Test
  void aBatchThatFailsIsNotTakenAndBeginsAgainWithItsFirstChange() throws InterruptedException {
    put(5);
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch isLookedAt = new CountDownLatch(1);
    try (Subscription subscription =
        map.changes()
            .subscribeBatches(
                0,
                Durability.ASYNC,
                100,
                changes -> {
                  told.add(positions(changes));
                  if (calls.incrementAndGet() == 1) {
                    throw new java.io.IOException("no trail today");
                  }
                  assertThat(isLookedAt.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
                })) {
      assertThat(next()).isEqualTo(range(1, 5));
      await(() -> subscription.failure().isPresent());
      assertThat(subscription.position()).isZero();
      put(2); // the batch is read anew, and has more
      List<Long> again = next();
      assertThat(again).startsWith(1L, 2L, 3L, 4L, 5L);
      isLookedAt.countDown();
      await(() -> subscription.position() == 7);
      assertThat(subscription.failure()).isEmpty();
    }
  }

  @Test
  void theListOfABatchCannotBeModified() throws InterruptedException {
    put(1);
    BlockingQueue<List<Change<Long, Long>>> lists = new LinkedBlockingQueue<>();
    try (Subscription _ = map.changes().subscribeBatches(0, Durability.ASYNC, 10, lists::add)) {
      List<Change<Long, Long>> batch = lists.poll(LONG_SECONDS, TimeUnit.SECONDS);
      assertThatThrownBy(() -> batch.removeFirst())
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void aBatchHasAtLeastOneChange() {
    for (int max : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> map.changes().subscribeBatches(0, Durability.ASYNC, max, _ -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at least 1 change, not " + max);
    }
  }

  @Test
  void theLagCountsWhatIsCommittedAndNotTaken() throws InterruptedException {
    CountDownLatch released = new CountDownLatch(1);
    List<Subscription> all = new ArrayList<>();
    all.add(map.changes().subscribe(0, Durability.ASYNC, _ -> released.await()));
    all.add(
        map.changes()
            .subscribeBatches(0, Durability.ASYNC, 10, changes -> told.add(positions(changes))));
    put(4);
    await(() -> all.get(1).lag() == 0);
    assertThat(all.get(0).lag()).isEqualTo(4);
    released.countDown();
    await(() -> all.get(0).lag() == 0);
    all.forEach(Subscription::close);
  }
}
