package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Elements that become visible at an instant: the recipe of docs/objects.md. */
final class DelayedElementsTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final long LONG_SECONDS = 30;

  record Due(Instant at, UUID id) {}

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));
  private final PersistentSortedMap<Due, String> delayed =
      store.sortedMap("delayed", Due.class, String.class);
  private volatile Instant now = START;

  @AfterEach
  void close() {
    store.close();
  }

  private void add(String element, Duration delay) {
    store.run(tx -> delayed.put(tx, new Due(now.plus(delay), UUID.randomUUID()), element));
  }

  /** Waits until an element is due, and takes it. */
  private String take() {
    return store.call(
        tx -> {
          Map.Entry<Due, String> first = delayed.first(tx);
          if (first == null) {
            throw tx.retry();
          }
          Duration left = Duration.between(now, first.getKey().at());
          if (left.isPositive()) {
            throw tx.retry(left);
          }
          delayed.remove(tx, first.getKey());
          return first.getValue();
        });
  }

  private CompletableFuture<String> taken() {
    long before = store.retries();
    CompletableFuture<String> result = new CompletableFuture<>();
    Thread.startVirtualThread(
        () -> {
          try {
            result.complete(take());
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        });
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG_SECONDS);
    while (store.retries() == before && !result.isDone()) {
      assertThat(System.nanoTime()).as("waits in time").isLessThan(deadline);
      Thread.onSpinWait();
    }
    return result;
  }

  @Test
  void elementsComeInTheOrderOfTheirInstants() {
    add("third", Duration.ofMinutes(3));
    add("first", Duration.ofMinutes(1));
    add("second", Duration.ofMinutes(2));
    List<String> taken = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      now = now.plus(Duration.ofMinutes(1));
      taken.add(take());
    }
    assertThat(taken).containsExactly("first", "second", "third");
  }

  @Test
  void theWaitEndsWhenTheFirstElementIsDue() {
    now = Instant.now();
    add("soon", Duration.ofMillis(30));
    String element =
        store.call(
            tx -> {
              Map.Entry<Due, String> first = Objects.requireNonNull(delayed.first(tx));
              Duration left = Duration.between(Instant.now(), first.getKey().at());
              if (left.isPositive()) {
                throw tx.retry(left);
              }
              return first.getValue();
            });
    assertThat(element).isEqualTo("soon");
  }

  @Test
  void anEarlierElementEndsTheWait() throws Exception {
    add("tomorrow", Duration.ofDays(1));
    CompletableFuture<String> taken = taken();
    assertThat(taken.isDone()).isFalse();
    add("now", Duration.ZERO);
    assertThat(taken.get(LONG_SECONDS, TimeUnit.SECONDS)).isEqualTo("now");
    assertThat(store.<Long, RuntimeException>read(delayed::size)).isEqualTo(1);
  }

  @Test
  void aWaitOfNoTimeIsRefused() {
    for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        delayed.first(tx);
                        throw tx.retry(none);
                      }))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(none.toString());
    }
  }
}
