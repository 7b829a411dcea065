package io.howdah.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.txn.Durability;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SixWordsTest {

  private static final long HEAP_BYTES = 32 << 20;

  private final Store store =
      Store.inMemory(StoreOptions.defaults().withMaxSize(SixWords.maxSize(HEAP_BYTES)));

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void everyTransactionAddsOneToSixWords() throws Exception {
    SixWords words = SixWords.fill(store, HEAP_BYTES);
    long before = words.sum();
    ThreadTeam.Outcome outcome = words.run(Durability.ASYNC, 2, 50_000_000);
    assertThat(outcome.operations()).isPositive();
    // A word drawn twice by one transaction is raised twice as well.
    assertThat(words.sum() - before).isEqualTo(SixWords.WORDS * outcome.operations());
    assertThat(outcome.perSecond()).isEqualTo(outcome.operations() * 1e9 / outcome.nanos());
  }

  @Test
  void splitPhaseCountsEveryTransaction() throws Exception {
    SixWords words = SixWords.fill(store, HEAP_BYTES);
    long before = words.sum();
    ThreadTeam.Outcome outcome =
        words.splitPhase(Durability.PARTITION, 1, false, 20_000_000, 200_000);
    assertThat(words.sum() - before).isEqualTo(SixWords.WORDS * outcome.operations());
  }

  @Test
  void virtualThreadsDoTheSame() throws Exception {
    SixWords words = SixWords.fill(store, HEAP_BYTES);
    long before = words.sum();
    ThreadTeam.Outcome outcome = words.run(Durability.SYNC, 100, 50_000_000, true);
    assertThat(words.sum() - before).isEqualTo(SixWords.WORDS * outcome.operations());
  }

  @Test
  void additionsThatAreMissingAreFound() throws Exception {
    SixWords words = SixWords.fill(store, HEAP_BYTES);
    words.run(Durability.ASYNC, 2, 20_000_000);
    words.run(Durability.ASYNC, SixWords.Style.WORD_BY_WORD, 2, 20_000_000);
    words.run(Durability.ASYNC, SixWords.Style.READ_ONLY, 1, 5_000_000);
    words.runApart(Durability.ASYNC, 2, 5_000_000);
    words.splitPhase(Durability.SYNC, 2, false, 20_000_000, 200_000);
    words.commitNanos(Durability.SYNC, 10);
    words.nanosToStable(1, 5_000_000);
    words.verify();

    SixWords behindItsBack = SixWords.of(store);
    behindItsBack.transactions().next(Durability.ASYNC);
    assertThatThrownBy(words::verify)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("and -6 additions are missing");
    assertThatThrownBy(behindItsBack::verify).hasMessageContaining("nobody knows");
  }

  @Test
  void findsItsDataAgain() {
    SixWords filled = SixWords.fill(store, HEAP_BYTES);
    assertThat(SixWords.of(store).sum()).isEqualTo(filled.sum()).isPositive();
  }

  @Test
  void refusesAStoreThatWasNotFilled() {
    assertThatThrownBy(() -> SixWords.of(store)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aFailureInAThreadOfATeamIsNotSwallowed() {
    assertThatThrownBy(
            () ->
                ThreadTeam.run(
                    2,
                    1_000_000,
                    _ ->
                        _ -> {
                          throw new IllegalArgumentException("broken");
                        }))
        .hasRootCauseMessage("broken");
  }
}
