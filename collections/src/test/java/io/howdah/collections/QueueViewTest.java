package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.core.StoreClosedException;
import io.howdah.core.TransactionTooLargeException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A persistent queue behind the interface of {@code java.util.concurrent}. */
final class QueueViewTest {

  private static final long LONG_SECONDS = 30;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));
  private final PersistentQueue<Long> queue = store.queue("queue", Codec.int64());
  private final BlockingQueue<Long> view = queue.asBlockingQueue();
  private final List<Thread> threads = new ArrayList<>();

  @AfterEach
  void close() throws InterruptedException {
    boolean isOpen = true;
    try {
      Blocks.assertNothingLeaks(store);
    } catch (StoreClosedException e) {
      isOpen = false;
    }
    store.close();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(LONG_SECONDS));
      assertThat(thread.isAlive()).as("a thread of a store, open: " + isOpen).isFalse();
    }
  }

  /** Does something with both; the results must be the same. */
  private interface Step {
    Object apply(BlockingQueue<Long> queue, long element) throws InterruptedException;
  }

  private static final List<Step> STEPS =
      List.of(
          (q, e) -> q.add(e),
          (q, e) -> q.offer(e),
          (q, e) -> q.offer(e, 0, TimeUnit.SECONDS),
          (q, e) -> q.offer(e, -1, TimeUnit.DAYS),
          (q, _) -> "" + q.poll(),
          (q, _) -> "" + q.poll(0, TimeUnit.SECONDS),
          (q, _) -> "" + q.peek(),
          (q, _) -> q.remove(),
          (q, _) -> q.element(),
          (q, _) -> q.size() + " " + q.remainingCapacity() + q.isEmpty(),
          (q, e) -> q.contains(e) + "" + q,
          (q, e) -> {
            List<Long> taken = new ArrayList<>();
            return q.drainTo(taken, (int) e - 1) + "" + taken;
          },
          (q, e) -> {
            List<Long> taken = new ArrayList<>();
            return e == 1 ? q.drainTo(taken) + "" + taken : "";
          },
          (q, e) -> {
            if (!q.isEmpty()) {
              return q.take();
            }
            q.put(e);
            return e;
          },
          (q, e) -> {
            if (e == 2) {
              q.clear();
            }
            return q.addAll(List.of(e, e + 1));
          },
          (q, _) -> q.drainTo(q));

  private static String outcome(Callable<Object> call) throws Exception {
    try {
      return "" + call.call();
    } catch (IllegalStateException | IllegalArgumentException | NoSuchElementException e) {
      return e.getClass().getSimpleName();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, Integer.MAX_VALUE})
  void itDoesWhatALinkedQueueDoes(int capacity) throws Exception {
    SplittableRandom random = new SplittableRandom(capacity);
    BlockingQueue<Long> bounded = queue.asBlockingQueue(capacity);
    BlockingQueue<Long> model = new LinkedBlockingQueue<>(capacity);
    for (int i = 0; i < 1500; i++) {
      int kind = random.nextInt(STEPS.size());
      long element = random.nextInt(6);
      String expected = outcome(() -> STEPS.get(kind).apply(model, element));
      if (capacity == Integer.MAX_VALUE && kind == 9) { // which LinkedBlockingQueue counts down
        continue;
      }
      assertThat(outcome(() -> STEPS.get(kind).apply(bounded, element)))
          .as("step %d of kind %d", i, kind)
          .isEqualTo(expected);
      assertThat(List.copyOf(bounded)).isEqualTo(List.copyOf(model));
    }
    assertThat(view.remainingCapacity()).isEqualTo(Integer.MAX_VALUE);
  }

  /** Runs in another thread until it waits. */
  private <T> CompletableFuture<T> waiting(Callable<T> call) {
    long before = store.retries();
    CompletableFuture<T> result = new CompletableFuture<>();
    threads.add(
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    result.complete(call.call());
                  } catch (Throwable t) {
                    result.completeExceptionally(t);
                  }
                }));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG_SECONDS);
    while (store.retries() == before && !result.isDone()) {
      assertThat(System.nanoTime()).as("waits in time").isLessThan(deadline);
      Thread.onSpinWait();
    }
    return result;
  }

  private static <T> T get(CompletableFuture<T> result) throws Exception {
    return result.get(LONG_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aTakeWaitsForAnElement() throws Exception {
    CompletableFuture<Long> taken = waiting(view::take);
    CompletableFuture<Long> polled = waiting(() -> view.poll(1, TimeUnit.DAYS));
    assertThat(taken.isDone() || polled.isDone()).isFalse();
    view.put(1L);
    view.put(2L);
    assertThat(List.of(get(taken), get(polled))).containsExactlyInAnyOrder(1L, 2L);
  }

  @Test
  void aFullQueueWaitsForSpace() throws Exception {
    BlockingQueue<Long> bounded = queue.asBlockingQueue(2);
    bounded.addAll(List.of(1L, 2L));
    assertThat(bounded.offer(3L)).isFalse();
    assertThat(bounded.offer(3L, 1, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(bounded.remainingCapacity()).isZero();
    CompletableFuture<Boolean> offered = waiting(() -> bounded.offer(3L, 1, TimeUnit.DAYS));
    assertThat(offered.isDone()).isFalse();
    assertThat(view.take()).isEqualTo(1);
    assertThat(get(offered)).isTrue();
    view.put(4L); // the capacity is that of the other view
    assertThat(bounded.remainingCapacity()).isZero();
    assertThat(view).containsExactly(2L, 3L, 4L);
  }

  @Test
  void aWaitEndsWithItsTime() throws Exception {
    assertThat(view.poll(1, TimeUnit.MILLISECONDS)).isNull();
    assertThat(view.poll(Long.MIN_VALUE, TimeUnit.DAYS)).isNull();
  }

  @Test
  void anInterruptEndsAWaitAndTakesNothing() throws Exception {
    BlockingQueue<Long> full = queue.asBlockingQueue(1);
    List<Callable<Object>> calls = List.of(view::take, () -> "" + view.poll(1, TimeUnit.DAYS));
    for (Callable<Object> call : calls) {
      interrupted(call);
    }
    view.put(1L);
    interrupted(() -> full.offer(2L, 1, TimeUnit.DAYS));
    interrupted(
        () -> {
          full.put(2L);
          return true;
        });
    assertThat(view).containsExactly(1L);
  }

  private void interrupted(Callable<Object> call) throws Exception {
    CompletableFuture<Boolean> flag =
        waiting(
            () -> {
              assertThatThrownBy(call::call).isInstanceOf(InterruptedException.class);
              return Thread.currentThread().isInterrupted();
            });
    threads.getLast().interrupt();
    assertThat(get(flag)).isFalse();
  }

  @Test
  void anInterruptedThreadDoesNotBeginToWait() throws Exception {
    view.put(1L);
    Thread.currentThread().interrupt();
    assertThatThrownBy(view::take).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    Thread.currentThread().interrupt();
    assertThat(view.poll()).isEqualTo(1); // does not wait
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void closingTheStoreEndsAWait() throws Exception {
    CompletableFuture<Long> taken = waiting(view::take);
    store.close();
    assertThatThrownBy(() -> get(taken)).hasCauseInstanceOf(StoreClosedException.class);
  }

  @Test
  void eachElementIsTakenOnceAndTheCapacityIsKept() throws Exception {
    int producers = 3;
    long each = 400;
    BlockingQueue<Long> bounded = queue.asBlockingQueue(5);
    ConcurrentLinkedQueue<Long> taken = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Boolean>> ends = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      long from = p * each;
      ends.add(
          inThread(
              () -> {
                for (long i = from; i < from + each; i++) {
                  bounded.put(i);
                }
              }));
      ends.add(
          inThread(
              () -> {
                for (long i = 0; i < each; i++) {
                  taken.add(bounded.take());
                  assertThat(bounded.size()).isLessThanOrEqualTo(5);
                }
              }));
    }
    for (CompletableFuture<Boolean> end : ends) {
      assertThat(get(end)).isTrue();
    }
    assertThat(taken)
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, producers * each).boxed().toList());
    assertThat(bounded).isEmpty();
  }

  private interface Body {
    void run() throws InterruptedException;
  }

  private CompletableFuture<Boolean> inThread(Body body) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    threads.add(
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    body.run();
                    end.complete(true);
                  } catch (Throwable t) {
                    end.completeExceptionally(t);
                  }
                }));
    return end;
  }

  @Test
  void aTransactionTakesABatchOrNothing() throws Exception {
    PersistentCounter done = store.counter("done");
    CompletableFuture<List<Long>> batch =
        waiting(
            () ->
                store.call(
                    tx -> {
                      List<Long> taken = queue.take(tx, 3);
                      done.add(tx, taken.size());
                      return taken;
                    }));
    assertThat(batch).isNotDone();
    store.run(
        tx -> {
          for (long i = 1; i <= 5; i++) {
            queue.add(tx, i);
          }
        });
    assertThat(get(batch)).containsExactly(1L, 2L, 3L);
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      assertThat(queue.take(tx)).isEqualTo(4);
                      assertThat(queue.poll(tx, 9)).containsExactly(5L);
                      assertThat(queue.poll(tx, 9)).isEmpty();
                      throw new TimeoutException("the work fails");
                    }))
        .isInstanceOf(TimeoutException.class);
    assertThat(view).containsExactly(4L, 5L);
    assertThatThrownBy(() -> store.run(tx -> queue.poll(tx, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"queue\"");
    assertThatThrownBy(() -> queue.asBlockingQueue(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anIteratorShowsACopy() {
    view.addAll(List.of(1L, 2L));
    var all = view.iterator();
    view.clear();
    assertThat(all.next()).isEqualTo(1);
    assertThatThrownBy(all::remove).isInstanceOf(UnsupportedOperationException.class);
    assertThat(all.next()).isEqualTo(2);
  }

  /** What one transaction cannot change is taken by several. */
  @Test
  void aQueueLargerThanATransactionIsDrainedAndCleared() {
    try (WordStore small =
        WordStore.inMemory(
            WordOptions.defaults()
                .withMaxSize(1 << 26)
                .withOrecs(1 << 12)
                .withPartitions(1)
                .withMaxTransactionBytes(1 << 12))) {
      PersistentQueue<String> texts = small.queue("texts", Codec.utf8());
      BlockingQueue<String> all = texts.asBlockingQueue();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 60_000; i++) {
        expected.add("text " + i + "x".repeat(100)); // in a block of its own
      }
      addAll(small, texts, expected);
      List<String> taken = new ArrayList<>();
      assertThat(all.drainTo(taken)).isEqualTo(expected.size());
      assertThat(taken).isEqualTo(expected);
      assertThat(all).isEmpty();
      addAll(small, texts, expected);
      all.clear();
      assertThat(all).isEmpty();
      assertThat(all.drainTo(taken)).isZero();
    }
  }

  /** Elements of another queue lie between the elements, so that few of them share a word. */
  @Test
  void aPieceThatIsTooLargeForATransactionIsTakenInSmallerOnes() {
    try (WordStore small =
        WordStore.inMemory(
            WordOptions.defaults()
                .withMaxSize(1 << 26)
                .withOrecs(1 << 12)
                .withPartitions(1)
                .withMaxTransactionBytes(1 << 11))) {
      PersistentQueue<String> texts = small.queue("texts", Codec.utf8());
      PersistentQueue<String> between = small.queue("between", Codec.utf8());
      BlockingQueue<String> all = texts.asBlockingQueue();
      List<String> expected =
          LongStream.range(0, 1500).mapToObj(i -> "text " + i + "x".repeat(100)).toList();
      addApart(small, texts, between, expected);
      assertThatThrownBy(() -> small.run(tx -> texts.poll(tx, 1024)))
          .isInstanceOf(TransactionTooLargeException.class);
      List<String> taken = new ArrayList<>();
      assertThat(all.drainTo(taken)).isEqualTo(expected.size());
      assertThat(taken).isEqualTo(expected);
      addApart(small, texts, between, expected);
      all.clear();
      assertThat(all).isEmpty();
    }
  }

  private static void addApart(
      WordStore store,
      PersistentQueue<String> queue,
      PersistentQueue<String> between,
      List<String> all) {
    for (String element : all) {
      store.run(tx -> queue.add(tx, element));
      for (int i = 0; i < 31; i++) {
        store.run(tx -> between.add(tx, element));
      }
    }
  }

  private static void addAll(WordStore store, PersistentQueue<String> queue, List<String> all) {
    for (int from = 0; from < all.size(); from += 5) {
      List<String> some = all.subList(from, from + 5);
      store.run(tx -> some.forEach(element -> queue.add(tx, element)));
    }
  }

  private void fill(int count) {
    for (int from = 0; from < count; from += 1000) {
      List<Long> some = LongStream.range(from, Math.min(from + 1000, count)).boxed().toList();
      store.run(tx -> some.forEach(element -> queue.add(tx, element)));
    }
  }

  /** Around the number of elements that one transaction of a drain takes. */
  @ParameterizedTest
  @ValueSource(ints = {1, 1023, 1024, 1025, 2047, 2048, 2049})
  void drainingTakesAsManyAsAreAskedFor(int asked) {
    for (int there : new int[] {asked - 1, asked, asked + 1}) {
      fill(there);
      List<Long> taken = new ArrayList<>();
      assertThat(view.drainTo(taken, asked)).isEqualTo(Math.min(asked, there));
      assertThat(taken).isEqualTo(LongStream.range(0, Math.min(asked, there)).boxed().toList());
      assertThat(view.size()).isEqualTo(Math.max(0, there - asked));
      view.clear();
      assertThat(view).isEmpty();
    }
  }

  /** A list that lets another consumer take elements once it has the first piece of a drain. */
  private static final class Disturbing extends ArrayList<Long> {
    private static final long serialVersionUID = 1L;

    private final transient Runnable other;
    private int pieces;

    Disturbing(Runnable other) {
      this.other = other;
    }

    @Override
    public boolean addAll(Collection<? extends Long> piece) {
      pieces++;
      assertThat(pieces).as("pieces of a queue that has no more").isLessThan(10);
      if (pieces == 1) {
        other.run();
      }
      return super.addAll(piece);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1023, 1024, 1025, 1975, 1976, 2000})
  void aDrainEndsWhateverOthersTakeBetweenItsPieces(int others) {
    int count = 3000;
    for (int max : new int[] {1, 1024, 1025, 2500, count, Integer.MAX_VALUE}) {
      view.clear();
      store.run(tx -> LongStream.range(0, count).forEach(i -> queue.add(tx, i)));
      Disturbing taken =
          new Disturbing(() -> LongStream.range(0, others).forEach(_ -> view.poll()));
      int drained = view.drainTo(taken, max);
      int wanted = Math.min(max, count);
      int first = Math.min(wanted, 1024);
      int rest = Math.min(wanted - first, Math.max(0, count - first - others));
      List<Long> expected =
          LongStream.concat(
                  LongStream.range(0, first),
                  LongStream.range(first + others, first + others + rest))
              .boxed()
              .toList();
      assertThat(taken).as("at most %d", max).isEqualTo(expected);
      assertThat(drained).isEqualTo(expected.size());
      assertThat(view).hasSize(Math.max(0, count - first - rest - others));
    }
  }
}
