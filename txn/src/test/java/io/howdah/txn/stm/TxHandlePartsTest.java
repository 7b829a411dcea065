package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.RetryException;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.words.RetryLimit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Fields, roots, alternatives and savepoints of a transaction, and who may use it. */
final class TxHandlePartsTest {

  private static final long OTHER = WORD + 4096;
  private static final int ROOTS = RegionHeaderLayout.ROOTS;

  private final SmallEngine engine = new SmallEngine();
  private final Attempt attempt = engine.attempts.take();

  @AfterEach
  void close() {
    engine.attempts.give(attempt);
    engine.close();
  }

  // ---- Fields.

  @Test
  void aFieldIsAPartOfItsWord() {
    Tx tx = attempt.begin(false);
    tx.putLong(WORD, 0x8877_6655_4433_2211L);
    for (int i = 0; i < 8; i++) {
      assertThat(tx.getByte(WORD + i)).isEqualTo((byte) (0x11 * (i + 1)));
    }
    for (int i = 0; i < 4; i++) {
      assertThat(tx.getShort(WORD + 2L * i)).isEqualTo((short) (0x2211 + 0x2222 * i));
    }
    assertThat(tx.getInt(WORD)).isEqualTo(0x4433_2211);
    assertThat(tx.getInt(WORD + 4)).isEqualTo(0x8877_6655);
    tx.putByte(WORD + 7, (byte) -1);
    assertThat(tx.getLong(WORD)).isEqualTo(0xFF77_6655_4433_2211L);
    tx.putByte(WORD, (byte) -2);
    assertThat(tx.getLong(WORD)).isEqualTo(0xFF77_6655_4433_22FEL);
    tx.putShort(WORD + 2, (short) -1);
    assertThat(tx.getLong(WORD)).isEqualTo(0xFF77_6655_FFFF_22FEL);
    tx.putInt(WORD + 4, -2);
    assertThat(tx.getLong(WORD)).isEqualTo(0xFFFF_FFFE_FFFF_22FEL);
    tx.putInt(WORD, 5);
    assertThat(tx.getLong(WORD)).isEqualTo(0xFFFF_FFFE_0000_0005L);
  }

  @Test
  void numbersWithAPointComeBackBitByBit() {
    Tx tx = attempt.begin(false);
    for (double value : new double[] {0.0, -0.0, 1.5, Double.NaN, Double.NEGATIVE_INFINITY}) {
      tx.putDouble(WORD, value);
      assertThat(tx.getLong(WORD)).isEqualTo(Double.doubleToRawLongBits(value));
      assertThat(Double.doubleToRawLongBits(tx.getDouble(WORD)))
          .isEqualTo(Double.doubleToRawLongBits(value));
      tx.putFloat(WORD + 4, (float) value);
      assertThat(tx.getInt(WORD + 4)).isEqualTo(Float.floatToRawIntBits((float) value));
      assertThat(Float.floatToRawIntBits(tx.getFloat(WORD + 4)))
          .isEqualTo(Float.floatToRawIntBits((float) value));
    }
  }

  @Test
  void manyWordsGoWhereTheProgramSays() {
    Tx tx = attempt.begin(false);
    tx.putLong(WORD, 3);
    tx.putLong(OTHER, 4);
    long[] values = new long[2];
    tx.getLongs(new long[] {OTHER, WORD}, values);
    assertThat(values).containsExactly(4, 3);
    assertThatThrownBy(() -> tx.getLongs(new long[] {WORD}, new long[2]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 addresses and room for 2 words");
    long[] same = {WORD};
    assertThatThrownBy(() -> tx.getLongs(same, same))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must be different arrays");
    assertThat(tx.getLong(WORD)).as("it goes on").isEqualTo(3);
  }

  @Test
  void bytesAreTakenFromWhereTheProgramSays() {
    Tx tx = attempt.begin(false);
    tx.write(WORD + 3, new byte[] {1, 2, 3, 4, 5}, 1, 3);
    byte[] target = new byte[5];
    tx.read(WORD + 3, target, 1, 3);
    assertThat(target).containsExactly(0, 2, 3, 4, 0);
    tx.write(WORD + 4, MemorySegment.ofArray(new byte[] {9}));
    MemorySegment segment = MemorySegment.ofArray(new byte[3]);
    tx.read(WORD + 3, segment);
    assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).containsExactly(2, 9, 4);
    byte[] all = new byte[8];
    tx.read(WORD, all);
    assertThat(all).containsExactly(0, 0, 0, 2, 9, 4, 0, 0);
    assertThatThrownBy(() -> tx.read(WORD, target, 3, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> tx.write(WORD, target, -1, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(attempt.words.operations.open()).isZero();
    engine.runner.commit(attempt);
    assertThat(engine.get(WORD)).isEqualTo(0x0004_0902_0000_00L);
  }

  // ---- Blocks and roots.

  @Test
  void blocksAreTakenAndGivenBack() {
    Tx tx = attempt.begin(false);
    long block = tx.allocate(100_000);
    assertThat(attempt.words.heap.isBlock(block)).isTrue();
    tx.free(block);
    assertThat(attempt.words.heap.isBlock(block)).isFalse();
    assertThat(attempt.words.operations.open()).isZero();
    assertThatThrownBy(() -> tx.free(block)).isInstanceOf(InvalidAddressException.class);
    assertThat(((TxHandle) tx).isLive()).isFalse();
  }

  @Test
  void eachRootIsAWordOfItsOwn() {
    Tx tx = attempt.begin(false);
    for (int i = 0; i < ROOTS; i++) {
      tx.root(i, WORD + 16L * i);
    }
    engine.runner.commit(attempt);
    Tx next = attempt.begin(false);
    for (int i = 0; i < ROOTS; i++) {
      assertThat(next.root(i)).isEqualTo(WORD + 16L * i);
      assertThat(engine.environment.region().getLong(RegionHeaderLayout.ROOTS_ADDRESS + 8L * i))
          .isEqualTo(WORD + 16L * i);
    }
    next.root(0, 0);
    assertThat(next.root(0)).isZero();
    for (int bad : new int[] {-1, ROOTS}) {
      assertThatThrownBy(() -> next.root(bad)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> next.root(bad, WORD)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> next.root(1, WORD - 1)).isInstanceOf(InvalidAddressException.class);
    Tx last = attempt.begin(false);
    assertThatThrownBy(() -> last.root(1, 1 << 20)).isInstanceOf(InvalidAddressException.class);
  }

  // ---- Who may use it.

  @Test
  void aTransactionBelongsToItsThreadAndToItsStore() throws InterruptedException {
    TxHandle tx = (TxHandle) attempt.begin(false);
    assertThat(TxHandle.of(tx)).isSameAs(tx);
    assertThat(tx.words()).isSameAs(attempt.words);
    assertThat(tx.use(engine.environment, "a map")).isSameAs(attempt.words);
    Throwable[] thrown = new Throwable[1];
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    tx.getLong(WORD);
                  } catch (TransactionStateException e) {
                    thrown[0] = e;
                  }
                });
    other.join();
    assertThat(thrown[0]).hasMessageContaining("belongs to " + Thread.currentThread());
    try (SmallEngine stranger = new SmallEngine()) {
      assertThatThrownBy(() -> tx.use(stranger.environment, "a map"))
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining("a map belongs to another store");
    }
    assertThat(tx.isLive()).isFalse();
    attempt.begin(false);
    assertThatThrownBy(() -> tx.getLong(WORD))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("has ended");
  }

  @Test
  void whatTheProgramMadeItselfIsNoTransaction() {
    Tx own =
        (Tx)
            Proxy.newProxyInstance(
                Tx.class.getClassLoader(), new Class<?>[] {Tx.class}, (_, _, _) -> null);
    assertThatThrownBy(() -> TxHandle.of(own)).isInstanceOf(IllegalArgumentException.class);
  }

  /** Only its own thread may end a transaction, also one whose time is over. */
  @Test
  void anotherThreadDoesNotEndATransactionThatTookTooLong() throws InterruptedException {
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    attempt.limit(limit);
    TxHandle tx = (TxHandle) attempt.begin(false);
    engine.clock.nanos += 5_000_000;
    tx.expire(limit);
    Throwable[] thrown = {null};
    Thread.ofPlatform()
        .start(
            () -> {
              try {
                tx.getLong(WORD);
              } catch (RuntimeException e) {
                thrown[0] = e;
              }
            })
        .join();
    assertThat(thrown[0]).isExactlyInstanceOf(TransactionStateException.class);
    assertThat(attempt.isHandle(tx)).as("it has not ended").isTrue();
    assertThatThrownBy(() -> tx.getLong(WORD)).isInstanceOf(TransactionTimeoutException.class);
    assertThat(attempt.isHandle(tx)).isFalse();
    attempt.takeLimit();
  }

  @Test
  void aTransactionThatTookTooLongSaysSo() {
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    attempt.limit(limit);
    TxHandle tx = (TxHandle) attempt.begin(false);
    tx.expire(limit);
    assertThatThrownBy(() -> tx.getLong(WORD))
        .as("the limit is not over: its thread was wrong")
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("valid only inside its body");
    engine.clock.nanos += 5_000_000;
    assertThatThrownBy(() -> tx.getLong(WORD)).isInstanceOf(TransactionTimeoutException.class);
    attempt.takeLimit();
  }

  // ---- Ends and parts.

  @Test
  void anAbortNamesItsReason() {
    Tx tx = attempt.begin(false);
    assertThatThrownBy(() -> tx.abort())
        .isInstanceOf(TransactionAbortedException.class)
        .hasMessage("the transaction's body aborted it");
    Tx next = attempt.begin(false);
    assertThatThrownBy(() -> next.abort("no stock")).hasMessage("no stock");
    assertThat(attempt.refusal()).hasMessage("no stock");
  }

  @Test
  void aRetryWaitsForALimitIfThereIsOne() {
    Tx tx = attempt.begin(false);
    assertThatThrownBy(() -> tx.retry(Duration.ofNanos(5))).isInstanceOf(RetryException.class);
    assertThat(attempt.isRetrying()).isTrue();
    RetryLimit first = Objects.requireNonNull(attempt.retryLimit());
    assertThatThrownBy(() -> tx.retry(Duration.ofNanos(9))).isInstanceOf(RetryException.class);
    assertThat(attempt.retryLimit()).as("the sooner one").isSameAs(first);
    assertThatThrownBy(() -> tx.retry(Duration.ofNanos(1))).isInstanceOf(RetryException.class);
    assertThat(attempt.retryLimit()).isNotSameAs(first);
    assertThatThrownBy(() -> tx.retry(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    assertThat(((TxHandle) tx).isLive()).isFalse();
  }

  @Test
  void aTransactionWithoutABodyCannotRetry() {
    attempt.ofSession(true);
    Tx tx = attempt.begin(false);
    assertThatThrownBy(() -> tx.retry())
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("has no body to run again");
    assertThat(attempt.isRetrying()).isFalse();
    attempt.ofSession(false);
  }

  private static long retry(Tx tx) {
    tx.putLong(WORD, 7);
    throw tx.retry();
  }

  @Test
  void theSecondAlternativeRunsIfTheFirstOneRetries() {
    Tx tx = attempt.begin(false);
    tx.putLong(WORD, 1);
    assertThat(tx.<Long, RuntimeException>orElse(first -> 5L, _ -> 6L)).isEqualTo(5);
    assertThat(
            tx.<Long, RuntimeException>orElse(
                TxHandlePartsTest::retry, second -> second.getLong(WORD)))
        .as("what the first one wrote is gone")
        .isEqualTo(1);
    assertThat(attempt.isRetrying()).isFalse();
    assertThat(
            tx.<Long, RuntimeException>orElse(
                first -> {
                  try {
                    return retry(first);
                  } catch (RetryException e) {
                    return 8L; // it wants to wait all the same
                  }
                },
                _ -> 9L))
        .isEqualTo(9);
    assertThatThrownBy(
            () ->
                tx.<Long, RuntimeException>orElse(
                    TxHandlePartsTest::retry, TxHandlePartsTest::retry))
        .isInstanceOf(RetryException.class);
    assertThat(attempt.isRetrying()).isTrue();
    assertThat(((TxHandle) tx).isLive()).isTrue();
  }

  @Test
  void aRetryOfAnotherTransactionIsNoneOfThisOne() {
    Tx tx = attempt.begin(false);
    RetryException thrown = new RetryException();
    assertThatThrownBy(
            () ->
                tx.<Long, RuntimeException>orElse(
                    _ -> {
                      throw thrown;
                    },
                    _ -> 1L))
        .isSameAs(thrown);
  }

  @Test
  void anAlternativeThatWentBackToBeforeItCannotBeUndone() {
    Tx tx = attempt.begin(false);
    Savepoint before = tx.savepoint();
    tx.putLong(WORD, 1);
    assertThatThrownBy(
            () ->
                tx.<Long, RuntimeException>orElse(
                    first -> {
                      first.rollBack(before);
                      throw first.retry();
                    },
                    _ -> 1L))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("rolled back to a savepoint from before orElse");
    assertThat(((TxHandle) tx).isLive()).isFalse();
  }

  private static void assertNoSavepoint(ThrowingCallable call, String problem) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void aSavepointServesItsOwnTransactionWhileItIsThere() {
    Tx tx = attempt.begin(false);
    Savepoint first = tx.savepoint();
    tx.putLong(WORD, 1);
    Savepoint second = tx.savepoint();
    tx.putLong(WORD, 2);
    tx.rollBack(second);
    assertThat(tx.getLong(WORD)).isEqualTo(1);
    tx.rollBack(first);
    assertThat(tx.getLong(WORD)).isZero();
    assertNoSavepoint(() -> tx.rollBack(second), "the savepoint is invalid");
    assertNoSavepoint(() -> tx.rollBack(new Savepoint() {}), "another transaction or attempt");
    Tx next = attempt.begin(false);
    next.savepoint();
    assertNoSavepoint(() -> next.rollBack(first), "another transaction or attempt");
    assertThat(((TxHandle) next).isLive()).isTrue();
  }

  @Test
  void partsReturnWhatTheyFind() {
    Tx tx = attempt.begin(false);
    tx.run(part -> part.putLong(WORD, 4));
    assertThat(tx.<Long, RuntimeException>call(part -> part.getLong(WORD))).isEqualTo(4);
    assertThat(((TxHandle) tx).isLive()).isTrue();
  }
}
