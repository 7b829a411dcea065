package io.howdah.crashtest.history;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.crashtest.oracle.Linearizability;
import io.howdah.crashtest.oracle.Linearizability.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Operations on collections, each a transaction of its own, with the moments of call and return. In
 * rounds: between two of them nothing is under way, so each round is judged by itself. A map is as
 * many registers as it has keys; a queue is one object.
 */
final class CollectionHistory {

  private static final int KEYS = 4;

  /** Stands for no value; what is written is above it. */
  private static final long ABSENT = 0;

  /** What an operation did, with its result. */
  private enum Verb {
    PUT,
    GET,
    REMOVE,
    INCREMENT,
    ADD,
    POLL,
    PEEK
  }

  /**
   * One operation.
   *
   * @param value that it wrote
   * @param seen that it returned
   */
  private record Operation(Verb verb, long value, long seen) {}

  private final PersistentMap<Long, Long> map;
  private final PersistentSortedMap<Long, Long> sorted;
  private final PersistentQueue<Long> queue;
  private final Store store;
  private final AtomicLong values = new AtomicLong();
  private long operations;

  CollectionHistory(Store store) {
    this.store = store;
    this.map = store.map("history map", Codec.int64(), Codec.int64());
    this.sorted = store.sortedMap("history sorted map", Codec.int64(), Codec.int64());
    this.queue = store.queue("history queue", Codec.int64());
  }

  /** Returns how many operations were judged. */
  long operations() {
    return operations;
  }

  /**
   * Runs one round, and judges it.
   *
   * @param spoil whether to change one result before the judgement, which must then fail
   * @return the violation in words, or null
   */
  @Nullable String round(Threads threads, long seed, int each, boolean spoil)
      throws InterruptedException {
    List<List<Call<Operation>>> registers = new ArrayList<>();
    List<Long> before = new ArrayList<>();
    for (int key = 0; key < 2 * KEYS; key++) {
      registers.add(new ArrayList<>());
      long k = key / 2;
      before.add(
          key % 2 == 0
              ? store.<Long, RuntimeException>read(tx -> orAbsent(map.get(tx, k)))
              : store.<Long, RuntimeException>read(tx -> orAbsent(sorted.get(tx, k))));
    }
    List<Long> queued = store.read(tx -> queue.stream(tx).toList());
    List<Call<Operation>> ends = new ArrayList<>();
    List<Runnable> works = new ArrayList<>();
    for (int t = 0; t < threads.count(); t++) {
      SplittableRandom random = new SplittableRandom(seed * 1009 + t);
      works.add(() -> work(random, each, registers, ends));
    }
    threads.run(works);
    for (int i = 0; i < registers.size(); i++) {
      List<Call<Operation>> history = registers.get(i);
      if (spoil) {
        spoil(history);
      }
      operations += history.size();
      if (!Linearizability.holds(new Register(before.get(i)), history, CollectionHistory::step)) {
        return "key "
            + i / 2
            + " of the "
            + (i % 2 == 0 ? "map" : "sorted map")
            + ", at first "
            + before.get(i)
            + ", is not linearizable: "
            + history;
      }
    }
    operations += ends.size();
    if (!Linearizability.holds(queued, ends, CollectionHistory::step)) {
      return "the queue, at first " + queued + ", is not linearizable: " + ends;
    }
    return null;
  }

  private static void spoil(List<Call<Operation>> history) {
    history.add(new Call<>(new Operation(Verb.GET, 0, -1L), 0, Long.MAX_VALUE - 1));
  }

  private void work(
      SplittableRandom random,
      int each,
      List<List<Call<Operation>>> registers,
      List<Call<Operation>> ends) {
    for (int i = 0; i < each; i++) {
      if (random.nextInt(3) == 0) {
        note(ends, () -> onQueue(random.nextInt(5)));
      } else {
        int register = random.nextInt(2 * KEYS);
        int what = random.nextInt(6);
        boolean inMap = register % 2 == 0;
        note(registers.get(register), () -> onMap(inMap, register / 2, what));
      }
    }
  }

  private static void note(List<Call<Operation>> history, Supplier<Operation> action) {
    long called = System.nanoTime();
    Operation operation = action.get();
    long returned = System.nanoTime();
    synchronized (history) {
      history.add(new Call<>(operation, called, returned));
    }
  }

  private Operation onMap(boolean inMap, long key, int what) {
    return switch (what) {
      case 0, 1 -> {
        long value = values.incrementAndGet();
        store.run(
            tx -> {
              if (inMap) {
                map.put(tx, key, value);
              } else {
                sorted.put(tx, key, value);
              }
            });
        yield new Operation(Verb.PUT, value, ABSENT);
      }
      case 2 ->
          new Operation(
              Verb.REMOVE,
              0,
              store.call(tx -> inMap ? map.remove(tx, key) : sorted.remove(tx, key)) ? 1 : ABSENT);
      case 3 -> {
        long value = values.incrementAndGet();
        long seen =
            store.<Long, RuntimeException>call(
                tx -> {
                  Long found = inMap ? map.get(tx, key) : sorted.get(tx, key);
                  if (inMap) {
                    map.put(tx, key, value);
                  } else {
                    sorted.put(tx, key, value);
                  }
                  return orAbsent(found);
                });
        yield new Operation(Verb.INCREMENT, value, seen);
      }
      default ->
          new Operation(
              Verb.GET,
              0,
              store.<Long, RuntimeException>read(
                  tx -> orAbsent(inMap ? map.get(tx, key) : sorted.get(tx, key))));
    };
  }

  private Operation onQueue(int what) {
    return switch (what) {
      case 0, 1 -> {
        long value = values.incrementAndGet();
        store.run(tx -> queue.add(tx, value));
        yield new Operation(Verb.ADD, value, ABSENT);
      }
      case 2, 3 ->
          new Operation(
              Verb.POLL, 0, store.<Long, RuntimeException>call(tx -> orAbsent(queue.poll(tx))));
      default ->
          new Operation(
              Verb.PEEK, 0, store.<Long, RuntimeException>read(tx -> orAbsent(queue.peek(tx))));
    };
  }

  private static long orAbsent(@Nullable Long found) {
    return found == null ? ABSENT : found;
  }

  // ---- Models.

  /** The value of a key. */
  private record Register(long value) {}

  private static @Nullable Register step(Register register, Operation operation) {
    long value = register.value;
    return switch (operation.verb) {
      case PUT -> new Register(operation.value);
      case INCREMENT -> value == operation.seen ? new Register(operation.value) : null;
      case REMOVE -> (value == ABSENT) == (operation.seen == ABSENT) ? new Register(ABSENT) : null;
      default -> value == operation.seen ? register : null;
    };
  }

  private static @Nullable List<Long> step(List<Long> queue, Operation operation) {
    long head = queue.isEmpty() ? ABSENT : queue.getFirst();
    if (operation.verb == Verb.ADD) {
      List<Long> next = new ArrayList<>(queue);
      next.add(operation.value);
      return next;
    }
    if (head != operation.seen) {
      return null;
    }
    return operation.verb == Verb.POLL && head != ABSENT ? queue.subList(1, queue.size()) : queue;
  }
}
