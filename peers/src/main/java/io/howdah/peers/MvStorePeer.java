package io.howdah.peers;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.h2.engine.IsolationLevel;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.tx.Transaction;
import org.h2.mvstore.tx.TransactionMap;
import org.h2.mvstore.tx.TransactionStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.DataType;
import org.jspecify.annotations.Nullable;

/**
 * H2's MVStore: its background thread writes each second, or each transaction is written. A
 * transaction that meets another one's lock waits for it, and is repeated after a deadlock.
 */
final class MvStorePeer<K> implements Peer {

  private static final int LOCK_MILLIS = 1000;
  private static final int MAX_ATTEMPTS = 100;
  private static final TransactionStore.RollbackListener NO_LISTENER =
      (map, key, existing, restored) -> {};

  private final MVStore store;
  private final TransactionStore transactions;
  private final boolean sync;
  private final DataType<K> keyType;
  private final LongFunction<K> keyOf;
  private final ToLongFunction<K> keyPart;

  MvStorePeer(
      Path folder,
      boolean sync,
      DataType<K> keyType,
      LongFunction<K> keyOf,
      ToLongFunction<K> keyPart) {
    this.keyPart = keyPart;
    this.keyType = keyType;
    this.keyOf = keyOf;
    store = new MVStore.Builder().fileName(folder.resolve("store.mv.db").toString()).open();
    transactions = new TransactionStore(store);
    transactions.init();
    transactions.endLeftoverTransactions();
    this.sync = sync;
  }

  private TransactionMap<K, byte[]> map(Transaction transaction) {
    return transaction.openMap("entries", keyType, ByteArrayDataType.INSTANCE);
  }

  @Override
  public Session session() {
    Transaction opening = transactions.begin();
    TransactionMap<K, byte[]> opened = map(opening);
    opening.commit();
    return new Session() {
      @Override
      public byte @Nullable [] get(long key) {
        Transaction transaction = transactions.begin();
        byte[] value = opened.getInstance(transaction).get(keyOf.apply(key));
        transaction.commit();
        return value == null ? null : value.clone();
      }

      @Override
      public long scan(long from, int entries) {
        Transaction transaction = transactions.begin();
        Iterator<Map.Entry<K, byte[]>> found =
            opened.getInstance(transaction).entryIterator(keyOf.apply(from), null);
        long sum = 0;
        for (int left = entries; left > 0 && found.hasNext(); left--) {
          Map.Entry<K, byte[]> entry = found.next();
          sum += keyPart.applyAsLong(entry.getKey()) + KeyForm.part(entry.getValue().clone());
        }
        transaction.commit();
        return sum;
      }

      @Override
      public void put(long[] keys, byte[][] values, int count) {
        for (int attempt = 1; !tryPut(keys, values, count, attempt == MAX_ATTEMPTS); attempt++) {
          Thread.onSpinWait();
        }
        if (sync) {
          store.commit();
          store.sync();
        }
      }

      // Returns false if another transaction holds one of the keys; throws if it is the last.
      private boolean tryPut(long[] keys, byte[][] values, int count, boolean isLast) {
        Transaction transaction =
            transactions.begin(NO_LISTENER, LOCK_MILLIS, 0, IsolationLevel.READ_COMMITTED);
        TransactionMap<K, byte[]> map = opened.getInstance(transaction);
        try {
          for (int i = 0; i < count; i++) {
            map.put(keyOf.apply(keys[i]), values[i]);
          }
          transaction.commit();
          return true;
        } catch (MVStoreException e) {
          transaction.rollback();
          if (isLast || !isConflict(e)) {
            throw e;
          }
          return false;
        }
      }
    };
  }

  private static boolean isConflict(MVStoreException failure) {
    return failure.getErrorCode() == DataUtils.ERROR_TRANSACTION_LOCKED
        || failure.getErrorCode() == DataUtils.ERROR_TRANSACTIONS_DEADLOCK;
  }

  @Override
  public void close() {
    transactions.close();
    store.close();
  }
}
