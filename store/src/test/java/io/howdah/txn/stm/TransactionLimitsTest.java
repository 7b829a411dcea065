package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions as large as a limit, and one word or hook smaller and larger. */
final class TransactionLimitsTest {

  private static final long WORDS = 8192;
  private static final int RING_BYTES = 1 << 16;

  /** A record of one run has a head of three words, a word for the run, and a checksum. */
  private static final int RECORD_WORDS = RING_BYTES / 4 / Long.BYTES - 5;

  private final SimulatedDisk disk = SimulatedDisk.seeded(1);

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(1)
        .withRingBytes(RING_BYTES)
        .withOrecs(1 << 12);
  }

  private static void write(Store store, int words, long value) {
    store.run(
        TxOptions.async(),
        tx -> {
          for (int i = 0; i < words; i++) {
            tx.putLong(WORDS + 8L * i, value + i);
          }
        });
  }

  private static void requireWritten(Store store, int words, long value) {
    store.read(
        tx -> {
          for (int i = 0; i < words; i++) {
            assertThat(tx.getLong(WORDS + 8L * i)).isEqualTo(value + i);
          }
          assertThat(tx.getLong(WORDS + 8L * words)).isZero();
          return 0;
        });
  }

  @Test
  void oneWordMoreThanTheLimitIsRefused() {
    try (Store store = Store.open(options().withMaxTransactionBytes(4096))) {
      write(store, 511, 1);
      write(store, 512, 1);
      assertThatThrownBy(() -> write(store, 513, 7))
          .isInstanceOf(TransactionTooLargeException.class)
          .hasMessageContaining("4096");
      requireWritten(store, 512, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void aTransactionThatFillsTheLongestRecordSurvivesAKillAndOneWordMoreGoesInParts(int more) {
    int words = RECORD_WORDS + more;
    Store store = Store.open(options());
    write(store, words, 3);
    assertThat(store.admin().stats().multipartCommits()).isEqualTo(more > 0 ? 1 : 0);
    SimulatedDisk killed = disk.fork();
    killed.kill();
    store.close();
    try (Store again = Store.open(options().withStorage(killed.storage()))) {
      requireWritten(again, words, 3);
    }
  }

  /** Records of a quarter of the ring each: the ring is full to the word after four. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void aRingThatIsFullToTheWordLosesNothing(int more) {
    Store store = Store.open(options());
    int rounds = 16;
    for (int round = 0; round < rounds; round++) {
      write(store, RECORD_WORDS + (round % 4 == 3 ? more : 0), 100L * round);
    }
    SimulatedDisk killed = disk.fork();
    killed.kill();
    store.close();
    try (Store again = Store.open(options().withStorage(killed.storage()))) {
      long last = 100L * (rounds - 1);
      assertThat((long) again.read(tx -> tx.getLong(WORDS))).isEqualTo(last);
      int end = RECORD_WORDS + more - 1;
      assertThat((long) again.read(tx -> tx.getLong(WORDS + 8L * end))).isEqualTo(last + end);
    }
  }

  @Test
  void theLastHookOfAKindRunsAndOneMoreIsRefused() {
    try (Store store = Store.inMemory(options())) {
      AtomicInteger ran = new AtomicInteger();
      store.run(
          tx -> {
            for (int i = 1; i < Hooks.MAX_HOOKS; i++) {
              tx.onCommit(ran::incrementAndGet);
            }
            Savepoint savepoint = tx.savepoint();
            tx.onCommit(() -> ran.addAndGet(1 << 24));
            tx.onAbort(() -> ran.addAndGet(1 << 25));
            tx.rollBack(savepoint);
            tx.onCommit(ran::incrementAndGet);
          });
      assertThat(ran.get()).isEqualTo(Hooks.MAX_HOOKS);
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        tx.putLong(WORDS, 1);
                        for (int i = 0; i <= Hooks.MAX_HOOKS; i++) {
                          tx.onCommit(ran::incrementAndGet);
                        }
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(String.valueOf(Hooks.MAX_HOOKS));
      assertThat(ran.get()).as("nothing committed").isEqualTo(Hooks.MAX_HOOKS);
      assertThat((long) store.read(tx -> tx.getLong(WORDS))).isZero();
    }
  }

  @Test
  void everyPartitionOf256TakesACommit() {
    int partitions = 256;
    Store store = Store.open(options().withPartitions(partitions));
    List<Session> open = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      Session txSession = store.session();
      Tx tx = txSession.begin(); // each attempt has another home
      tx.putLong(WORDS + 64L * i, i + 1);
      open.add(txSession);
    }
    for (Session session : open) {
      session.commit();
    }
    SimulatedDisk killed = disk.fork();
    killed.kill();
    store.close();
    try (Store again = Store.open(options().withStorage(killed.storage()))) {
      again.read(
          tx -> {
            for (int i = 0; i < partitions; i++) {
              assertThat(tx.getLong(WORDS + 64L * i)).isEqualTo(i + 1);
            }
            return 0;
          });
    }
  }
}
