package io.howdah.collections;

import io.howdah.collections.structure.EntryGroup;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Words;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@link KeyedCollection#load}. It takes entries from the program outside of its
 * transactions, because the body of a transaction may be repeated and the iterator cannot. What one
 * transaction has no room for stays for the next one.
 *
 * <p>Each transaction reads the key that the one before has put last. So it depends on that one
 * (docs/protocol.md, I5), and a power cut leaves the entries of the first transactions, although
 * the records of the load may lie in different partitions of the log. For one thread.
 *
 * @param <K> the keys
 * @param <V> the values
 */
final class BulkLoad<K, V> {

  /** Words after which a transaction ends: for so many, a transaction keeps its buffers. */
  private static final int MAX_WRITTEN_WORDS = (64 << 10) / Long.BYTES;

  /** A transaction also ends when it has written this part of what it may write. */
  private static final int PART = 4;

  private final KeyedCollection<K, V> map;
  private final LoadOptions options;
  private final Iterator<? extends Map.Entry<? extends K, ? extends V>> all;

  /** The entries that were taken and are not put yet. */
  private final @Nullable K[] keys;

  private final @Nullable V[] values;
  private int count;

  /** Maximum number of entries of the next transaction. */
  private int limit;

  /** The key that was put last; null before the first one. */
  private @Nullable K last;

  private LoadResult reached = LoadResult.NONE;

  /** What the iterator has thrown; kept until the entries before it are put. */
  private @Nullable RuntimeException thrown;

  @SuppressWarnings("unchecked") // the arrays stay here
  BulkLoad(
      KeyedCollection<K, V> map,
      Iterator<? extends Map.Entry<? extends K, ? extends V>> all,
      LoadOptions options) {
    this.map = map;
    this.all = all;
    this.options = options;
    this.limit = options.transactionEntries();
    this.keys = (@Nullable K[]) new Object[limit];
    this.values = (@Nullable V[]) new Object[limit];
  }

  LoadResult run() {
    take();
    while (count > 0) {
      putSome();
      var progress = options.progress();
      if (progress != null) {
        progress.accept(reached);
      }
      take();
    }
    awaitDurable();
    if (thrown != null) {
      throw thrown;
    }
    return reached;
  }

  /** Takes entries until there are as many as a transaction may have. */
  private void take() {
    try {
      while (count < limit && thrown == null && all.hasNext()) {
        Map.Entry<? extends K, ? extends V> entry = all.next();
        keys[count] = entry.getKey();
        values[count] = entry.getValue();
        count++;
      }
    } catch (RuntimeException e) {
      thrown = e;
    }
  }

  /** What a transaction has put: the body of one that is repeated begins anew. */
  private record Put(int entries, LoadResult reached) {}

  /** Runs a transaction. */
  private void putSome() {
    Put put;
    try {
      put = map.transactions().call(TxOptions.async(), this::put);
    } catch (TransactionTooLargeException e) {
      if (limit == 1) {
        throw e;
      }
      limit = Math.max(1, Math.min(limit, count) / PART);
      return;
    }
    reached = put.reached();
    last = keys[put.entries() - 1];
    count -= put.entries();
    System.arraycopy(keys, put.entries(), keys, 0, count);
    System.arraycopy(values, put.entries(), values, 0, count);
    limit = (int) Math.min(2L * limit, options.transactionEntries());
  }

  private Put put(Tx tx) {
    if (last != null) {
      boolean _ = map.containsKey(tx, last);
    }
    Words words = map.words(tx);
    EntryGroup<K, V> group = map.group(tx);
    int entries = 0;
    long added = 0;
    int end = Math.min(count, limit);
    while (entries < end && !isLong(words)) {
      entries += group.take(keys, values, entries, end);
      added += map.putGroup(tx, group);
    }
    LoadResult now = new LoadResult(reached.entries() + entries, reached.added() + added);
    var note = options.note();
    if (note != null) {
      note.accept(tx, now);
    }
    return new Put(entries, now);
  }

  private static boolean isLong(Words words) {
    return words.writtenWords() >= Math.min(MAX_WRITTEN_WORDS, words.maxWrittenWords() / PART);
  }

  /** Waits until what was put has survived what the mode says. */
  private void awaitDurable() {
    K key = last;
    if (key != null) {
      Durability mode = options.durability();
      TxOptions how = mode == null ? TxOptions.defaults() : TxOptions.of(mode);
      boolean _ = map.transactions().call(how.withReadOnly(), tx -> map.containsKey(tx, key));
    }
  }
}
