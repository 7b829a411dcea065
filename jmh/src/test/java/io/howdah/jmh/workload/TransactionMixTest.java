package io.howdah.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentMultimap;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TransactionMixTest {

  private static final int THREADS = 3;

  private final Store store =
      Store.inMemory(StoreOptions.defaults().withMaxSize(SocialGraph.maxSize(100)));

  @AfterEach
  void close() {
    store.close();
  }

  /** Runs so many transactions on each of some threads. */
  private static void repeat(TransactionMix mix, int count) throws Exception {
    ThreadTeam.run(
        THREADS,
        1_000_000,
        thread -> {
          TransactionMix.Worker worker = mix.worker(thread);
          return _ -> {
            for (int i = 0; i < count; i++) {
              worker.next(Durability.ASYNC);
            }
            return count;
          };
        });
  }

  @Test
  void allSumsOfTheBankAgreeAlsoWhenItsHistoryWasReplaced() throws Exception {
    BankBranches bank = BankBranches.fill(store, 2, 20);
    assertThat(bank.verify()).isZero();
    repeat(bank, 10);
    assertThat(bank.verify()).isEqualTo(10L * THREADS);
    repeat(bank, BankBranches.LINES + 5); // workers continue where the former ones ended
    assertThat(bank.verify()).isEqualTo((15L + BankBranches.LINES) * THREADS);
    PersistentMap<Long, ?> history = history();
    assertThat(store.<Long, RuntimeException>read(TxOptions.async(), history::size))
        .isEqualTo((long) BankBranches.LINES * THREADS);
  }

  private PersistentMap<Long, Long> map(String name) {
    return store.map(name, Codec.int64(), Codec.int64());
  }

  private PersistentMap<Long, ?> history() {
    return store.map("history", Codec.int64(), BankBranches.LINE);
  }

  @Test
  void aWrongSumOfTheBankIsFound() throws Exception {
    BankBranches bank = BankBranches.fill(store, 2, 20);
    repeat(bank, 10);
    PersistentMap<Long, Long> tellers = map("tellers");
    store.run(TxOptions.async(), tx -> tellers.merge(tx, 13L, 1L, Long::sum));
    assertThatThrownBy(bank::verify)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("branch 1 has");
    store.run(TxOptions.async(), tx -> tellers.merge(tx, 13L, -1L, Long::sum));
    PersistentMap<Long, Long> accounts = map("accounts");
    store.run(TxOptions.async(), tx -> accounts.merge(tx, 3L, 1L, Long::sum));
    assertThatThrownBy(bank::verify).hasMessageContaining("all accounts have");
  }

  @Test
  void aLostTransactionOfTheBankIsFoundThoughAllSumsAgree() throws Exception {
    BankBranches bank = BankBranches.fill(store, 1, 20);
    repeat(bank, 10);
    PersistentMap<Long, BankBranches.Line> history =
        store.map("history", Codec.int64(), BankBranches.LINE);
    store.run(
        TxOptions.async(),
        tx -> {
          long slot = 9; // the tenth of thread 0
          BankBranches.Line last = Objects.requireNonNull(history.get(tx, slot));
          history.remove(tx, slot);
          long amount = -last.amount();
          map("accounts").merge(tx, last.account(), amount, Long::sum);
          map("tellers").merge(tx, last.teller(), amount, Long::sum);
          map("branches").merge(tx, 0L, amount, Long::sum);
        });
    assertThatThrownBy(bank::verify)
        .hasMessage("thread 0 committed transaction 9, its history ends with 8");
  }

  @Test
  void aLostPostIsFoundThoughAllSumsAgree() throws Exception {
    SocialGraph graph = SocialGraph.fill(store, 100);
    repeat(graph, 400);
    store.run(
        TxOptions.async(),
        tx -> {
          long person = 0;
          while (map("posts").get(tx, person) == null) {
            person++;
          }
          map("posts").merge(tx, person, -1L, Long::sum);
          map("written").merge(tx, 0L, -1L, Long::sum);
        });
    assertThatThrownBy(graph::verify).hasMessageContaining("thread 0 committed");
  }

  @Test
  void bothDirectionsOfTheGraphAgree() throws Exception {
    SocialGraph graph = SocialGraph.fill(store, 100);
    assertThat(graph.verify()).isZero();
    repeat(graph, 400);
    assertThat(graph.verify()).isBetween(1L, 400L * THREADS / 5);
  }

  @Test
  void aWrongEdgeCountOrPostIsFound() {
    SocialGraph graph = SocialGraph.fill(store, 100);
    PersistentMultimap<Long, Long> follows =
        store.multimap("follows", Codec.int64(), Codec.int64());
    store.run(TxOptions.async(), tx -> follows.put(tx, 7L, 7L));
    assertThatThrownBy(graph::verify).hasMessageContaining("7 follows 7");
    store.run(TxOptions.async(), tx -> follows.remove(tx, 7L, 7L));
    PersistentMap<Long, Long> counts = map("counts");
    store.run(TxOptions.async(), tx -> counts.merge(tx, 5L, 1L, Long::sum));
    assertThatThrownBy(graph::verify).hasMessageContaining("5 has");
    store.run(TxOptions.async(), tx -> counts.merge(tx, 5L, -1L, Long::sum));
    PersistentMap<Long, Long> posts = map("posts");
    store.run(TxOptions.async(), tx -> posts.put(tx, 5L, 1L));
    assertThatThrownBy(graph::verify).hasMessageContaining("1 posts");
  }
}
