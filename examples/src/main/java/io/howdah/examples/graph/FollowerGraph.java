package io.howdah.examples.graph;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.Range;
import io.howdah.examples.Check;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Who follows whom. Two sorted maps hold each edge in both directions and change in one
 * transaction, which is all there is to a secondary index. Suggestions are the friends of friends.
 */
public final class FollowerGraph {

  private static final int PEOPLE = 2000;
  private static final int EDGES = 40_000;

  private final Store store;
  private final PersistentMap<Long, String> names;

  /** Keys are (from, to), 32 bits each, so the edges of one person lie side by side. */
  private final PersistentSortedMap<Long, Boolean> follows;

  private final PersistentSortedMap<Long, Boolean> followers;

  private FollowerGraph(Store store) {
    this.store = store;
    names = store.map("names", Codec.int64(), Codec.utf8());
    follows = store.sortedMap("follows", Codec.int64(), Codec.bool());
    followers = store.sortedMap("followers", Codec.int64(), Codec.bool());
  }

  /** Builds a graph, asks it, and opens it again. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    String before;
    try (Store store = Store.open(folder)) {
      FollowerGraph graph = new FollowerGraph(store);
      graph.populate();
      before = graph.describe(7);
      System.out.println(before);
      graph.store.run(tx -> graph.forget(tx, 7));
      Check.that(graph.describe(7).contains("0 followers"), "a person was not forgotten");
      graph.requireBothDirections();
    }
    try (Store store = Store.open(folder)) {
      FollowerGraph graph = new FollowerGraph(store);
      graph.requireBothDirections();
      System.out.println("reopened: " + graph.describe(8));
    }
  }

  private void populate() {
    SplittableRandom random = new SplittableRandom(1);
    for (int from = 0; from < EDGES; from += 1000) {
      store.run(
          TxOptions.async(),
          tx -> {
            for (int i = 0; i < 1000; i++) {
              follow(tx, random.nextInt(PEOPLE), popular(random));
            }
          });
    }
    store.run(tx -> LongStream.range(0, PEOPLE).forEach(id -> names.put(tx, id, "user" + id)));
  }

  /** A few are followed by many. */
  private static long popular(SplittableRandom random) {
    return (long) (PEOPLE * Math.pow(random.nextDouble(), 3));
  }

  private void follow(Tx tx, long from, long to) {
    if (from != to) {
      follows.put(tx, edge(from, to), true);
      followers.put(tx, edge(to, from), true);
    }
  }

  /** Removes a person with all edges, in both directions. */
  private void forget(Tx tx, long person) {
    for (long other : neighbours(tx, follows, person).toArray()) {
      follows.remove(tx, edge(person, other));
      followers.remove(tx, edge(other, person));
    }
    for (long other : neighbours(tx, followers, person).toArray()) {
      followers.remove(tx, edge(person, other));
      follows.remove(tx, edge(other, person));
    }
  }

  private static long edge(long from, long to) {
    return from << 32 | to;
  }

  private static LongStream neighbours(
      Tx tx, PersistentSortedMap<Long, Boolean> edges, long person) {
    return edges
        .range(tx, Range.from(edge(person, 0)))
        .mapToLong(Map.Entry::getKey)
        .takeWhile(edge -> edge >> 32 == person)
        .map(edge -> edge & 0xFFFF_FFFFL);
  }

  private String describe(long person) {
    return store.read(
        tx -> {
          long[] followed = neighbours(tx, follows, person).toArray();
          Map<Long, Integer> mutual = new TreeMap<>();
          for (long friend : followed) {
            neighbours(tx, follows, friend)
                .filter(other -> other != person && !follows.containsKey(tx, edge(person, other)))
                .forEach(other -> mutual.merge(other, 1, Integer::sum));
          }
          String suggestions =
              mutual.entrySet().stream()
                  .sorted((a, b) -> Integer.compare(b.getValue(), a.getValue()))
                  .limit(3)
                  .map(e -> names.get(tx, e.getKey()) + " (" + e.getValue() + " friends)")
                  .collect(Collectors.joining(", "));
          return "%s follows %d, has %d followers, may know %s"
              .formatted(
                  names.get(tx, person),
                  followed.length,
                  neighbours(tx, followers, person).count(),
                  suggestions.isEmpty() ? "nobody yet" : suggestions);
        });
  }

  private void requireBothDirections() {
    store.run(
        TxOptions.defaults().withReadOnly(),
        tx -> {
          Check.that(follows.size(tx) == followers.size(tx), "the directions have other sizes");
          follows
              .keys(tx)
              .forEach(
                  e ->
                      Check.that(
                          followers.containsKey(tx, edge(e & 0xFFFF_FFFFL, e >> 32)),
                          "an edge has one direction only"));
        });
  }
}
