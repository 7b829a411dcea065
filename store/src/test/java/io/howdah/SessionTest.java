package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.core.StoreClosedException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions without a body and without garbage. */
@Timeout(60)
final class SessionTest {

  private static final long ONE = 8192;

  private final Store store =
      Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20).withOrecs(4096));

  @AfterEach
  void close() {
    store.close();
  }

  private static long increment(Session session) {
    while (true) {
      Tx tx = session.begin(TxOptions.async());
      try {
        tx.putLong(ONE, tx.getLong(ONE) + 1);
        return session.commit();
      } catch (ConflictException e) {
        session.abort();
      }
    }
  }

  @Test
  void transactionsOfASessionAllocateNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Session session = store.session();
    for (int i = 0; i < 50_000; i++) {
      increment(session);
    }
    int count = 100_000;
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < count; i++) {
      increment(session);
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    // Less than a byte each: what is left is the measurement's own.
    assertThat(allocated).isLessThan(count);
    assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(ONE))).isEqualTo(150_000);
  }

  @Test
  void aScanEndsWithItsTransaction() {
    PersistentSortedMap<Long, Long> map = store.sortedMap("map", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          for (long key = 0; key < 10; key++) {
            map.put(tx, key, key);
          }
        });
    Session session = store.session();
    Tx tx = session.begin(TxOptions.async());
    assertThatThrownBy(
            () ->
                map.scan(
                    tx,
                    null,
                    null,
                    (key, _) -> {
                      assertThat(key).isZero();
                      long _ = session.commit();
                      Tx _ = session.begin(TxOptions.async());
                      return true;
                    }))
        .isInstanceOf(TransactionStateException.class);
    session.abort();
  }

  @Test
  void sessionsOfSeveralThreadsLoseNoUpdate() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    Session session = store.session();
                    for (int i = 0; i < 2000; i++) {
                      increment(session);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(ONE))).isEqualTo(8000);
  }

  @Test
  void aTransactionEndsBeforeTheNextBegins() {
    Session session = store.session();
    Tx tx = session.begin();
    assertThatThrownBy(session::begin)
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("not ended");
    tx.putLong(ONE, 5);
    session.abort();
    session.abort();
    assertThat(store.<Long, RuntimeException>read(t -> t.getLong(ONE))).isZero();
    assertThatThrownBy(() -> tx.getLong(ONE)).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> session.commit())
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("no transaction");
  }

  /** It would stand on entries that others have freed and used again. */
  @Test
  void anIteratorOfAnEarlierTransactionIsRefused() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          for (long i = 0; i < 100; i++) {
            map.put(tx, i, i);
          }
        });
    Session session = store.session();
    Tx tx = session.begin();
    Iterator<Map.Entry<Long, Long>> started = map.iterator(tx);
    started.next();
    Iterator<Map.Entry<Long, Long>> ahead = map.iterator(tx);
    assertThat(ahead.hasNext()).isTrue();
    session.abort();
    store.run(other -> map.asMap(other).clear());
    assertThat(session.begin()).isSameAs(tx);
    assertThatThrownBy(started::next).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(started::hasNext).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(ahead::next).isInstanceOf(TransactionStateException.class);
    session.abort();
  }

  @Test
  void aClosedStoreRefusesASession() {
    Session session = store.session();
    store.close();
    assertThatThrownBy(session::begin).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::session).isInstanceOf(StoreClosedException.class);
  }
}
