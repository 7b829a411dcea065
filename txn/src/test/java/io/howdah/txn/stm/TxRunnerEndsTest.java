package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnavailablePageException;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.txn.AbortCause;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.WordsAttachment;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a body leaves behind, however it ends, and a commit that an error breaks off. */
final class TxRunnerEndsTest {

  private static final TxOptions ALONE = TxOptions.defaults().withIrrevocable();
  private static final long OTHER = WORD + 4096;

  private final SmallEngine engine = new SmallEngine();

  @AfterEach
  void close() {
    assertThat(engine.gate.isClosed()).isFalse();
    assertThat(engine.lanes.isIdle()).isTrue();
    engine.close();
  }

  @Test
  void aBodyWithATimeLimitReturnsItsResult() {
    TxOptions limited = TxOptions.defaults().withTimeLimit(Duration.ofSeconds(1));
    int result = engine.call(limited, _ -> 5);
    assertThat(result).isEqualTo(5);
  }

  /** What an attempt has read may be lost in a power cut, and the caller has seen that it ended. */
  @Test
  void aTransactionThatEndsBetweenAttemptsTellsWhatTheyHaveRead() {
    engine.put(WORD, 1);
    Attempt attempt = engine.attempts.take();
    TxOptions brief = TxOptions.defaults().withTimeLimit(Duration.ofMillis(5));
    assertThatThrownBy(
            () ->
                engine.runner.execute(
                    attempt,
                    brief,
                    tx -> {
                      tx.getLong(WORD);
                      engine.clock.nanos += 5_000_000;
                      throw attempt.conflict(AbortCause.VALIDATION);
                    }))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat(attempt.lsn()).isPositive();
    attempt.takeLimit();
    engine.attempts.give(attempt);
  }

  @Test
  void aHandleEndsWithItsBodyHoweverThatEnds() {
    Attempt attempt = engine.attempts.take();
    Tx[] seen = new Tx[1];
    engine.runner.execute(attempt, TxOptions.defaults(), tx -> seen[0] = tx);
    assertThat(((TxHandle) seen[0]).isLive()).isFalse();
    assertThatThrownBy(
            () ->
                engine.runner.execute(
                    attempt,
                    TxOptions.defaults(),
                    tx -> {
                      seen[0] = tx;
                      throw new IllegalArgumentException("by the test");
                    }))
        .hasMessage("by the test");
    assertThat(((TxHandle) seen[0]).isLive()).isFalse();
    attempt.words.attach(
        new WordsAttachment() {
          @Override
          public void begin(Tx tx) {
            seen[0] = tx;
          }

          @Override
          public void trim() {}
        });
    assertThatThrownBy(
            () ->
                engine.runner.runOnce(
                    attempt,
                    () -> {
                      throw new IllegalArgumentException("by the test");
                    }))
        .hasMessage("by the test");
    assertThat(((TxHandle) seen[0]).isLive()).isFalse();
    engine.attempts.give(attempt);
  }

  @Test
  void aGateIsLeftAlsoIfTheAttemptCannotBeEnded() {
    Attempt attempt = engine.attempts.take();
    boolean[] fails = {true};
    assertThatThrownBy(
            () ->
                engine.runner.execute(
                    attempt,
                    ALONE,
                    tx -> {
                      attempt.words.newObjects.add(
                          _ -> {
                            if (fails[0]) {
                              throw new StackOverflowError("by the test");
                            }
                          },
                          7);
                      throw new IllegalArgumentException("of the body");
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(engine.gate.isClosed()).isFalse();
    fails[0] = false;
    engine.attempts.give(attempt);
  }

  @Test
  void aConflictInsideTheGateOfAStoreThatStopsIsNotTheProgramsFault() {
    assertThatThrownBy(
            () ->
                engine.call(
                    ALONE,
                    tx -> {
                      tx.getLong(WORD);
                      engine.put(WORD, 1);
                      engine.put(OTHER, 1);
                      engine.lifecycle.stop();
                      return tx.getLong(OTHER);
                    }))
        .isInstanceOf(StoreClosedException.class);
  }

  // ---- Commits that an error breaks off.

  /** Memory in which a word cannot be loaded, or words not be stored. */
  private static final class Breaking extends ForwardingRegion {
    private boolean breaksLoads;
    private boolean breaksStores;
    private boolean lacksPages;

    Breaking(Region memory) {
      super(memory);
    }

    @Override
    public long getLongOpaque(long address) {
      if (breaksLoads) {
        throw new StackOverflowError("by the test");
      }
      if (lacksPages) {
        throw RegionOfFaults.fault();
      }
      return super.getLongOpaque(address);
    }

    @Override
    public void setLongsOpaque(long[] words, int count) {
      if (breaksStores) {
        throw new StackOverflowError("by the test");
      }
      super.setLongsOpaque(words, count);
    }
  }

  private static void put(SmallEngine broken, Runnable breaking) {
    broken.call(
        tx -> {
          tx.putLong(WORD, 1);
          breaking.run();
          return 0;
        });
  }

  @Test
  void anErrorBeforeTheCommitPointLeavesNothing() {
    Breaking[] memory = new Breaking[1];
    try (SmallEngine broken = new SmallEngine(region -> memory[0] = new Breaking(region))) {
      assertThatThrownBy(() -> put(broken, () -> memory[0].breaksLoads = true))
          .isInstanceOf(StackOverflowError.class);
      memory[0].breaksLoads = false;
      assertThat(broken.fatal).isEmpty();
      assertThat(broken.lanes.isIdle()).isTrue();
      assertThat(broken.get(WORD)).isZero();
      put(broken, () -> {});
      assertThat(broken.get(WORD)).isEqualTo(1);
    }
  }

  @Test
  void aPageThatCannotBeHadEndsTheTransactionAndNotTheStore() {
    Breaking[] memory = new Breaking[1];
    try (SmallEngine broken = new SmallEngine(region -> memory[0] = new Breaking(region))) {
      memory[0].lacksPages = true;
      assertThatThrownBy(() -> broken.get(WORD)).isInstanceOf(UnavailablePageException.class);
      Attempt attempt = broken.attempts.take();
      attempt.begin(false);
      attempt.words.put(WORD, 1);
      assertThatThrownBy(() -> broken.runner.commit(attempt))
          .isInstanceOf(UnavailablePageException.class);
      memory[0].lacksPages = false;
      broken.attempts.give(attempt);
      assertThat(broken.fatal).isEmpty();
      assertThat(broken.lanes.isIdle()).isTrue();
      assertThat(broken.get(WORD)).isZero();
    }
  }

  @Test
  void anErrorWhileWordsAreStoredStopsTheStore() {
    Breaking[] memory = new Breaking[1];
    try (SmallEngine broken = new SmallEngine(region -> memory[0] = new Breaking(region))) {
      assertThatThrownBy(() -> put(broken, () -> memory[0].breaksStores = true))
          .isInstanceOf(StoreFailedException.class)
          .hasCauseInstanceOf(StackOverflowError.class);
      assertThat(broken.fatal).hasSize(1);
    }
  }
}
