package io.howdah.peers;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.tx.Transaction;
import org.h2.mvstore.tx.TransactionMap;
import org.h2.mvstore.tx.TransactionStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.jspecify.annotations.Nullable;

/** H2's MVStore: its background thread writes each second, or each transaction is written. */
final class MvStorePeer implements Peer {

  private final MVStore store;
  private final TransactionStore transactions;
  private final boolean sync;

  MvStorePeer(Path folder, boolean sync) {
    store = new MVStore.Builder().fileName(folder.resolve("store.mv.db").toString()).open();
    transactions = new TransactionStore(store);
    transactions.init();
    transactions.endLeftoverTransactions();
    this.sync = sync;
  }

  private TransactionMap<Long, byte[]> map(Transaction transaction) {
    return transaction.openMap("entries", LongDataType.INSTANCE, ByteArrayDataType.INSTANCE);
  }

  @Override
  public Session session() {
    Transaction opening = transactions.begin();
    TransactionMap<Long, byte[]> opened = map(opening);
    opening.commit();
    return new Session() {
      @Override
      public byte @Nullable [] get(long key) {
        Transaction transaction = transactions.begin();
        byte[] value = opened.getInstance(transaction).get(key);
        transaction.commit();
        return value == null ? null : value.clone();
      }

      @Override
      public long scan(long from, int entries) {
        Transaction transaction = transactions.begin();
        Iterator<Map.Entry<Long, byte[]>> found =
            opened.getInstance(transaction).entryIterator(from, null);
        long bytes = 0;
        for (int left = entries; left > 0 && found.hasNext(); left--) {
          bytes += found.next().getValue().clone().length;
        }
        transaction.commit();
        return bytes;
      }

      @Override
      public void put(long[] keys, byte[][] values, int count) {
        Transaction transaction = transactions.begin();
        TransactionMap<Long, byte[]> map = opened.getInstance(transaction);
        for (int i = 0; i < count; i++) {
          map.put(keys[i], values[i]);
        }
        transaction.commit();
        if (sync) {
          store.commit();
          store.sync();
        }
      }
    };
  }

  @Override
  public void close() {
    transactions.close();
    store.close();
  }
}
