package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentMultimap;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * People who follow each other, mostly read. Of the transactions 90 % show a person whom he
 * follows, at most 20, and how many posts each has; 5 % begin or end to follow somebody; 5 % write
 * a post. Some people are chosen far more often than others. Thread-safe.
 *
 * <p>Each edge is in two collections, and each person's followers are counted. {@link #verify}
 * proves that all three agree, that people have as many posts as threads wrote, and that each
 * thread wrote as many as its worker saw committed.
 */
public final class SocialGraph implements TransactionMix {

  private static final int READ_PERCENT = 90;
  private static final int FOLLOW_PERCENT = 5;
  private static final int PAGE = 20;
  private static final int FIRST_EDGES = 10;
  private static final int LOAD_BATCH = 20;
  private static final int SEED_MASK = Integer.MAX_VALUE >> 1;

  private final Store store;
  private final int people;
  private final PersistentMultimap<Long, Long> follows;
  private final PersistentMultimap<Long, Long> followers;
  private final PersistentMap<Long, Long> counts;
  private final PersistentMap<Long, Long> posts;
  private final PersistentMap<Long, Long> written;

  /** The newest worker of each thread. */
  private final Map<Long, Person> workers = new ConcurrentHashMap<>();

  private SocialGraph(Store store, int people) {
    this.store = store;
    this.people = people;
    this.follows = store.multimap("follows", Codec.int64(), Codec.int64());
    this.followers = store.multimap("followers", Codec.int64(), Codec.int64());
    this.counts = store.map("counts", Codec.int64(), Codec.int64());
    this.posts = store.map("posts", Codec.int64(), Codec.int64());
    this.written = store.map("written", Codec.int64(), Codec.int64());
  }

  /** Returns the {@code maxSize} that a store needs for so many people. */
  public static long maxSize(int people) {
    return people * 8192L + (128L << 20);
  }

  /**
   * Fills a new store: each person follows up to ten.
   *
   * @param people at least 2
   */
  public static SocialGraph fill(Store store, int people) {
    if (people < 2) {
      throw new IllegalArgumentException("people must be at least 2: " + people);
    }
    SocialGraph graph = new SocialGraph(store, people);
    RandomWords random = new RandomWords(people);
    for (long from = 0; from < people; from += LOAD_BATCH) {
      long first = from;
      long end = Math.min(people, from + LOAD_BATCH);
      long[] drawn = new long[LOAD_BATCH * FIRST_EDGES];
      for (int i = 0; i < drawn.length; i++) {
        drawn[i] = graph.draw(random);
      }
      store.run(
          TxOptions.async(),
          tx -> {
            for (int i = 0; i < drawn.length; i++) {
              long person = first + i / FIRST_EDGES;
              if (person < end && person != drawn[i]) {
                graph.follow(tx, person, drawn[i]);
              }
            }
          });
    }
    return graph;
  }

  /** Draws a person: the cube of an even number, so half of all draws are of an eighth of all. */
  private long draw(RandomWords random) {
    double even = random.next(1L << 53) * 0x1p-53;
    return (long) (people * even * even * even);
  }

  private void follow(Tx tx, long person, long other) {
    if (follows.put(tx, person, other)) {
      followers.put(tx, other, person);
      add(tx, counts, other, 1);
    }
  }

  private void unfollow(Tx tx, long person, long other) {
    if (follows.remove(tx, person, other)) {
      followers.remove(tx, other, person);
      add(tx, counts, other, -1);
    }
  }

  private static long valueOf(@Nullable Long number) {
    return number == null ? 0 : number;
  }

  private static void add(Tx tx, PersistentMap<Long, Long> map, long key, long more) {
    map.put(tx, key, valueOf(map.get(tx, key)) + more);
  }

  @Override
  public Worker worker(int thread) {
    long before = store.read(TxOptions.async(), tx -> valueOf(written.get(tx, (long) thread)));
    Person worker = new Person(thread, before);
    workers.put((long) thread, worker);
    return worker;
  }

  private final class Person implements Worker {

    private final long thread;
    private final RandomWords random;

    @SuppressWarnings("UnusedVariable") // keeps what was read alive
    private long seen;

    private long committedPosts;

    Person(int thread, long before) {
      this.thread = thread;
      this.committedPosts = before;
      this.random = new RandomWords((int) (before * 1024 + thread) & SEED_MASK);
    }

    @Override
    public void next(Durability durability) {
      long choice = random.next(100);
      long person = draw(random);
      if (choice < READ_PERCENT) {
        seen = store.read(TxOptions.of(durability), tx -> look(tx, person));
      } else if (choice < READ_PERCENT + FOLLOW_PERCENT) {
        long other = draw(random);
        boolean begins = random.next(2) == 0;
        if (other != person) {
          store.run(
              TxOptions.of(durability),
              tx -> {
                if (begins) {
                  follow(tx, person, other);
                } else {
                  unfollow(tx, person, other);
                }
              });
        }
      } else {
        store.run(
            TxOptions.of(durability),
            tx -> {
              add(tx, posts, person, 1);
              add(tx, written, thread, 1);
            });
        committedPosts++;
      }
    }
  }

  private long look(Tx tx, long person) {
    long sum = valueOf(counts.get(tx, person));
    for (long other : follows.page(tx, person, null, PAGE)) {
      sum += valueOf(posts.get(tx, other));
    }
    return sum;
  }

  @Override
  public long verify() {
    return store.read(TxOptions.async(), this::verify);
  }

  private long verify(Tx tx) {
    long[] counted = new long[people];
    long edges = 0;
    for (var edge : (Iterable<Map.Entry<Long, Long>>) follows.entries(tx)::iterator) {
      if (!followers.contains(tx, edge.getValue(), edge.getKey())) {
        throw new IllegalStateException(
            "%d follows %d, who has no such follower".formatted(edge.getKey(), edge.getValue()));
      }
      counted[edge.getValue().intValue()]++;
      edges++;
    }
    if (followers.size(tx) != edges) {
      throw new IllegalStateException(
          "%d follow somebody, %d are followed".formatted(edges, followers.size(tx)));
    }
    for (int person = 0; person < people; person++) {
      long count = valueOf(counts.get(tx, (long) person));
      if (count != counted[person]) {
        throw new IllegalStateException(
            "%d has %d followers, counted %d".formatted(person, counted[person], count));
      }
    }
    long[] sums = new long[2];
    posts.forEach(tx, (_, number) -> sums[0] += number);
    written.forEach(tx, (_, number) -> sums[1] += number);
    if (sums[0] != sums[1]) {
      throw new IllegalStateException(
          "people have %d posts, threads wrote %d".formatted(sums[0], sums[1]));
    }
    workers.forEach(
        (thread, worker) -> {
          long found = valueOf(written.get(tx, thread));
          if (found != worker.committedPosts) {
            throw new IllegalStateException(
                "thread %d committed %d posts, written are %d"
                    .formatted(thread, worker.committedPosts, found));
          }
        });
    return sums[0];
  }
}
