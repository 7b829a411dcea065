package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.howdah.core.StoreClosedException;
import io.howdah.core.TransactionStateException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions without a body and without garbage. */
@Timeout(60)
final class SessionTest {

  private static final long ONE = 8192;

  private final Store store = Store.inMemory(StoreOptions.defaults().maxSize(1 << 20).orecs(4096));

  @AfterEach
  void close() {
    store.close();
  }

  private static long increment(Session session) {
    while (true) {
      Tx tx = session.begin();
      try {
        tx.putLong(ONE, tx.getLong(ONE) + 1);
        return session.commit(Durability.ASYNC);
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
    assertThatThrownBy(() -> session.commit(Durability.ASYNC))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("no transaction");
  }

  @Test
  void aClosedStoreRefusesASession() {
    Session session = store.session();
    store.close();
    assertThatThrownBy(session::begin).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::session).isInstanceOf(StoreClosedException.class);
  }
}
