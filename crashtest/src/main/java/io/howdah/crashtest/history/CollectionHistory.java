package io.howdah.crashtest.history;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.crashtest.history.CollectionRound.Kind;
import io.howdah.crashtest.history.CollectionRound.Operation;
import io.howdah.crashtest.history.CollectionRound.Verb;
import io.howdah.crashtest.oracle.Linearizability.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Operations on collections, each a transaction of its own, with the moments of call and return. In
 * rounds: between two of them nothing is under way, so each round is judged by itself.
 */
final class CollectionHistory {

  /** Part of the transactions during which other threads run. */
  private static final int PAUSES_ONE_OF = 4;

  private final PersistentMap<Long, Long> map;
  private final PersistentSortedMap<Long, Long> sorted;
  private final PersistentQueue<Long> queue;
  private final Store store;
  private final AtomicLong values = new AtomicLong();

  CollectionHistory(Store store) {
    this.store = store;
    this.map = store.map("history map", Codec.int64(), Codec.int64());
    this.sorted = store.sortedMap("history sorted map", Codec.int64(), Codec.int64());
    this.queue = store.queue("history queue", Codec.int64());
  }

  /** Runs one round. */
  CollectionRound run(Threads threads, long seed, int each) throws InterruptedException {
    List<Long> inMap = new ArrayList<>();
    List<Long> inSortedMap = new ArrayList<>();
    for (long key = 0; key < CollectionRound.KEYS; key++) {
      long k = key;
      inMap.add(store.<Long, RuntimeException>read(tx -> orAbsent(map.get(tx, k))));
      inSortedMap.add(store.<Long, RuntimeException>read(tx -> orAbsent(sorted.get(tx, k))));
    }
    List<Long> queued = store.read(tx -> queue.stream(tx).toList());
    CollectionRound round = new CollectionRound(inMap, inSortedMap, queued);
    List<Runnable> works = new ArrayList<>();
    for (int t = 0; t < threads.count(); t++) {
      SplittableRandom random = new SplittableRandom(seed * 1009 + t);
      works.add(() -> work(random, each, round));
    }
    threads.run(works);
    return round;
  }

  private void work(SplittableRandom random, int each, CollectionRound round) {
    for (int i = 0; i < each; i++) {
      boolean pauses = random.nextInt(PAUSES_ONE_OF) == 0;
      if (random.nextInt(3) == 0) {
        note(round, Kind.QUEUE, 0, () -> onQueue(random.nextInt(5), pauses));
      } else {
        int register = random.nextInt(2 * CollectionRound.KEYS);
        int what = random.nextInt(6);
        boolean inMap = register % 2 == 0;
        int key = register / 2;
        note(
            round,
            inMap ? Kind.MAP : Kind.SORTED_MAP,
            key,
            () -> onMap(inMap ? map : sorted, key, what, pauses));
      }
    }
  }

  private static void note(CollectionRound round, Kind kind, int key, Supplier<Operation> action) {
    long called = System.nanoTime();
    Operation operation = action.get();
    long returned = System.nanoTime();
    round.add(kind, key, new Call<>(operation, called, returned));
  }

  private Operation onMap(KeyedCollection<Long, Long> in, long key, int what, boolean pauses) {
    return switch (what) {
      case 0, 1 -> {
        long value = values.incrementAndGet();
        store.run(
            tx -> {
              in.put(tx, key, value);
              letOthersRun(pauses);
            });
        yield new Operation(Verb.PUT, value, CollectionRound.ABSENT);
      }
      case 2 -> {
        boolean removed =
            store.call(
                tx -> {
                  boolean found = in.remove(tx, key);
                  letOthersRun(pauses);
                  return found;
                });
        yield new Operation(Verb.REMOVE, 0, removed ? 1 : CollectionRound.ABSENT);
      }
      case 3 -> {
        long value = values.incrementAndGet();
        long seen =
            store.<Long, RuntimeException>call(
                tx -> {
                  Long found = in.get(tx, key);
                  letOthersRun(pauses);
                  in.put(tx, key, value);
                  return orAbsent(found);
                });
        yield new Operation(Verb.GET_AND_PUT, value, seen);
      }
      default ->
          new Operation(
              Verb.GET,
              0,
              store.<Long, RuntimeException>read(
                  tx -> {
                    letOthersRun(pauses);
                    return orAbsent(in.get(tx, key));
                  }));
    };
  }

  private Operation onQueue(int what, boolean pauses) {
    return switch (what) {
      case 0, 1 -> {
        long value = values.incrementAndGet();
        // Without a pause: a search goes through all orders of adds that overlap.
        store.run(tx -> queue.add(tx, value));
        yield new Operation(Verb.ADD, value, CollectionRound.ABSENT);
      }
      case 2, 3 -> {
        long polled =
            store.<Long, RuntimeException>call(
                tx -> {
                  long head = orAbsent(queue.poll(tx));
                  letOthersRun(pauses);
                  return head;
                });
        yield new Operation(Verb.POLL, 0, polled);
      }
      default ->
          new Operation(
              Verb.PEEK,
              0,
              store.<Long, RuntimeException>read(
                  tx -> {
                    letOthersRun(pauses);
                    return orAbsent(queue.peek(tx));
                  }));
    };
  }

  /** Within a transaction: without it, hardly an operation overlaps another one of its key. */
  @SuppressWarnings("ThreadPriorityCheck") // a hint; no verdict depends on it
  private static void letOthersRun(boolean pauses) {
    if (pauses) {
      Thread.yield();
    }
  }

  private static long orAbsent(@Nullable Long found) {
    return found == null ? CollectionRound.ABSENT : found;
  }
}
