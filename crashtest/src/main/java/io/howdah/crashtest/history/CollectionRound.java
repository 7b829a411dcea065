package io.howdah.crashtest.history;

import io.howdah.crashtest.oracle.Linearizability;
import io.howdah.crashtest.oracle.Linearizability.Call;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a round of operations on collections did: their content before, and each operation with the
 * moments of call and return. A map is as many registers as it has keys; a queue is one object.
 * Operations are added by any thread, the rest is for one.
 */
final class CollectionRound {

  static final int KEYS = 4;

  /** Stands for no value; what is written is above it. */
  static final long ABSENT = 0;

  /** A kind of collection. */
  enum Kind {
    MAP,
    SORTED_MAP,
    QUEUE
  }

  /** What an operation did, with its result. */
  enum Verb {
    PUT,
    GET,
    REMOVE,
    GET_AND_PUT,
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
  record Operation(Verb verb, long value, long seen) {}

  /** The value of a key. */
  private record Register(long value) {}

  private final List<List<Call<Operation>>> maps;
  private final List<Long> mapBefore;
  private final List<Long> sortedMapBefore;
  private final List<Long> queueBefore;
  private final List<Call<Operation>> ends;

  /**
   * Creates a round without operations.
   *
   * @param map values before, by key
   * @param sortedMap the same
   * @param queue elements before
   */
  CollectionRound(List<Long> map, List<Long> sortedMap, List<Long> queue) {
    this.mapBefore = List.copyOf(map);
    this.sortedMapBefore = List.copyOf(sortedMap);
    this.queueBefore = List.copyOf(queue);
    this.maps = new ArrayList<>();
    for (int i = 0; i < 2 * KEYS; i++) {
      maps.add(new ArrayList<>());
    }
    this.ends = new ArrayList<>();
  }

  /**
   * Notes an operation.
   *
   * @param key 0 for the queue
   */
  void add(Kind kind, int key, Call<Operation> call) {
    List<Call<Operation>> history = calls(kind, key);
    synchronized (history) {
      history.add(call);
    }
  }

  /** Returns the content before: of a map the values by key, of the queue its elements. */
  List<Long> before(Kind kind) {
    return switch (kind) {
      case MAP -> mapBefore;
      case SORTED_MAP -> sortedMapBefore;
      case QUEUE -> queueBefore;
    };
  }

  /** Returns the operations on a key, or on the queue; in no order. */
  List<Call<Operation>> calls(Kind kind, int key) {
    return switch (kind) {
      case MAP -> maps.get(key);
      case SORTED_MAP -> maps.get(KEYS + key);
      case QUEUE -> ends;
    };
  }

  /** Returns how many objects of a kind are judged by themselves. */
  static int objects(Kind kind) {
    return kind == Kind.QUEUE ? 1 : KEYS;
  }

  int operations() {
    return ends.size() + maps.stream().mapToInt(List::size).sum();
  }

  /** Adds a get that returns what nobody has put. */
  void spoil() {
    List<Call<Operation>> history = calls(Kind.MAP, 0);
    long moment = history.stream().mapToLong(Call::returned).max().orElse(0);
    history.add(new Call<>(new Operation(Verb.GET, 0, -1L), moment, moment + 1));
  }

  /** Returns the first violation in words, or null. */
  @Nullable String violation() {
    for (Kind kind : List.of(Kind.MAP, Kind.SORTED_MAP)) {
      for (int key = 0; key < KEYS; key++) {
        List<Call<Operation>> history = calls(kind, key);
        long before = before(kind).get(key);
        if (!Linearizability.holds(new Register(before), history, CollectionRound::step)) {
          return "key "
              + key
              + " of the "
              + (kind == Kind.MAP ? "map" : "sorted map")
              + ", at first "
              + before
              + ", is not linearizable: "
              + history;
        }
      }
    }
    if (!Linearizability.holds(queueBefore, ends, CollectionRound::step)) {
      return "the queue, at first " + queueBefore + ", is not linearizable: " + ends;
    }
    return null;
  }

  private static @Nullable Register step(Register register, Operation operation) {
    long value = register.value;
    return switch (operation.verb) {
      case PUT -> new Register(operation.value);
      case GET_AND_PUT -> value == operation.seen ? new Register(operation.value) : null;
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
