package io.howdah.crashtest.soak;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.Expiry;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentBlob;
import io.howdah.collections.PersistentIndex;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The structures that the workers change, in a store. Thread-safe. */
final class SoakStore {

  private static final long MAX_BYTES = 256L << 20;
  private static final Duration RECOVERY_GOAL = Duration.ofSeconds(2);
  private static final int ROOT = 0;

  /** A cache line, so that workers that count do not meet. */
  private static final int STRIDE = 64;

  private static final int GROUPS = 16;

  final Store store;
  final int workers;
  final PersistentMap<Long, String> map;
  final PersistentSortedMap<Long, String> sorted;
  final PersistentType<Item> items;
  final PersistentMap<Long, Item> objects;
  final PersistentMap<Long, String> indexed;
  final PersistentIndex<Long, Long, String> byGroup;
  final PersistentMap<Long, Long> expiring;
  final PersistentMap<Long, String> expiries;
  final List<PersistentQueue<Long>> queues = new ArrayList<>();
  final List<PersistentBlob> blobs = new ArrayList<>();
  final List<PersistentMap<Long, Long>> grown = new ArrayList<>();
  private final InstantSource clock;
  private final long words;

  /** An object in the store. */
  @Persistent
  interface Item {
    long number();

    void number(long number);

    @Nullable String text();

    void text(@Nullable String text);
  }

  private SoakStore(Store store, int workers, InstantSource clock) {
    this.store = store;
    this.workers = workers;
    this.clock = clock;
    this.map = store.map("map", Codec.int64(), Codec.utf8());
    this.sorted = store.sortedMap("sorted", Codec.int64(), Codec.utf8());
    this.items = store.type(Item.class, MethodHandles.lookup());
    this.objects = store.map("objects", Codec.int64(), items.codec());
    Index<String, Long> groups = Index.of("group", SoakStore::group, Codec.int64());
    this.indexed = store.map("indexed", Codec.int64(), Codec.utf8(), groups);
    this.byGroup = indexed.index(groups);
    this.expiring = store.map("expiring", Codec.int64(), Codec.int64(), Expiry.perEntry());
    this.expiries = store.map("expiries", Codec.int64(), Codec.utf8());
    for (int worker = 0; worker < workers; worker++) {
      queues.add(store.queue("queue-" + worker, Codec.int64()));
      blobs.add(store.blob("blob-" + worker));
      grown.add(store.map("grown-" + worker, Codec.int64(), Codec.int64()));
    }
    this.words =
        store.call(
            TxOptions.sync(),
            tx -> {
              if (tx.root(ROOT) == 0) {
                tx.root(ROOT, tx.allocate((long) STRIDE * workers + 8L * SoakWork.SHARED_WORDS));
              }
              return tx.root(ROOT);
            });
  }

  /** Opens the structures of a store; makes them if they are not there. */
  static SoakStore over(Store store, int workers, InstantSource clock) {
    return new SoakStore(store, workers, clock);
  }

  /** Returns the options of the stores. */
  static StoreOptions options(InstantSource clock) {
    return StoreOptions.defaults()
        .withMaxSize(MAX_BYTES)
        .withRecoveryGoal(RECOVERY_GOAL)
        .withClock(clock);
  }

  static long group(String text) {
    return Math.floorMod(SoakWork.hash(text), GROUPS);
  }

  /** Returns how many operations of a worker the store has. */
  long done(Tx tx, int worker) {
    return tx.getLong(words + (long) STRIDE * worker);
  }

  /** Returns a word that all workers share. */
  long shared(Tx tx, int word) {
    return tx.getLong(words + (long) STRIDE * workers + 8L * word);
  }

  /** Does an operation of a worker in a transaction of its own. */
  void run(SoakWork work, long n) {
    store.run(
        TxOptions.of(work.durability(n)),
        tx -> work.apply(new InTransaction(tx, work.worker()), n));
  }

  /** A worker's structures in a transaction. */
  private final class InTransaction implements SoakTarget {

    private final Tx tx;
    private final int worker;

    InTransaction(Tx tx, int worker) {
      this.tx = tx;
      this.worker = worker;
    }

    private long own(long key) {
      return SoakWork.sharedKey(worker, key);
    }

    @Override
    public void put(int key, long n) {
      map.put(tx, own(key), SoakWork.text(own(key), n));
    }

    @Override
    public void remove(int key) {
      map.remove(tx, own(key));
    }

    @Override
    public void sortedPut(int key, long n) {
      sorted.put(tx, own(key), SoakWork.text(own(key), n));
    }

    @Override
    public void sortedRemove(int key) {
      sorted.remove(tx, own(key));
    }

    @Override
    public void add(long n) {
      queues.get(worker).add(tx, n);
    }

    @Override
    public void poll() {
      Long _ = queues.get(worker).poll(tx);
    }

    @Override
    public void blobWrite(int offset, int length, long n) {
      if (length > 0) {
        blobs.get(worker).write(tx, offset, SoakWork.bytes(length, n));
      }
    }

    @Override
    public void blobTruncate(int length) {
      PersistentBlob blob = blobs.get(worker);
      if (length < blob.length(tx)) {
        blob.truncate(tx, length);
      }
    }

    @Override
    public void object(int key, long n) {
      Item item = objects.get(tx, own(key));
      if (item == null) {
        item = items.create(tx);
        objects.put(tx, own(key), item);
      }
      item.number(n);
      item.text(SoakWork.text(own(key), n));
    }

    @Override
    public void freeObject(int key) {
      Item item = objects.get(tx, own(key));
      if (item != null) {
        objects.remove(tx, own(key));
        items.free(tx, item);
      }
    }

    @Override
    public void indexedPut(int key, long n) {
      indexed.put(tx, own(key), SoakWork.text(own(key), n));
    }

    @Override
    public void indexedRemove(int key) {
      indexed.remove(tx, own(key));
    }

    @Override
    public void expiringPut(int key, long n, int millis) {
      Instant at = clock.instant().plusMillis(millis);
      expiring.expiry().putUntil(tx, own(key), n, at);
      expiries.put(tx, own(key), n + ":" + at.toEpochMilli());
    }

    @Override
    public void expiringRemove(int key) {
      expiring.remove(tx, own(key));
      expiries.remove(tx, own(key));
    }

    @Override
    public void grow(long key, long n) {
      grown.get(worker).put(tx, key, n);
    }

    @Override
    public void clearGrown() {
      grown.get(worker).clear(tx);
    }

    @Override
    public void transfer(int from, int to, long amount) {
      long first = words + (long) STRIDE * workers;
      tx.putLong(first + 8L * from, tx.getLong(first + 8L * from) - amount);
      tx.putLong(first + 8L * to, tx.getLong(first + 8L * to) + amount);
    }

    @Override
    public void done(long n) {
      tx.putLong(words + (long) STRIDE * worker, n);
    }
  }
}
