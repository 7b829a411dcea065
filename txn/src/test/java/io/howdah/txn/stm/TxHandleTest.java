package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.words.Counters;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a handle refuses before anything is read or written, and what it hands on. */
final class TxHandleTest {

  private static final long END = 1 << 20;

  private final SmallEngine engine = new SmallEngine();
  private final Attempt attempt = engine.attempts.take();

  @AfterEach
  void close() {
    engine.attempts.give(attempt);
    engine.close();
  }

  private void assertRefused(TxBody<RuntimeException> call) {
    Tx tx = attempt.begin(false);
    assertThatThrownBy(() -> call.run(tx)).isInstanceOf(InvalidAddressException.class);
    assertThat(attempt.words.writes.count()).isZero();
    assertThat(((TxHandle) tx).isLive()).isFalse();
  }

  @Test
  void badAddressesOfEachKindAreRefused() {
    assertRefused(tx -> tx.getInt(WORD + 2));
    assertRefused(tx -> tx.putInt(WORD + 2, 1));
    assertRefused(tx -> tx.putShort(WORD - 2, (short) 1));
    assertRefused(tx -> tx.putByte(END, (byte) 1));
    byte[] bytes = new byte[16];
    assertRefused(tx -> tx.read(END - 15, bytes));
    assertRefused(tx -> tx.write(END - 15, bytes));
    assertRefused(tx -> tx.read(WORD - 1, MemorySegment.ofArray(bytes)));
    assertRefused(tx -> tx.write(END - 15, MemorySegment.ofArray(bytes)));
    Tx tx = attempt.begin(false);
    tx.write(END - 16, bytes);
    tx.read(END - 16, bytes);
  }

  @Test
  void hooksOfEachKindAreKeptApart() {
    List<String> run = new ArrayList<>();
    Tx tx = attempt.begin(false);
    tx.onCommit(() -> run.add("commit"));
    tx.onStable(() -> run.add("stable"));
    tx.onAbort(() -> run.add("abort"));
    Hooks hooks = Objects.requireNonNull(attempt.takeHooks(), "hooks");
    assertThat(attempt.takeHooks()).isNull();
    hooks.committed();
    hooks.stable();
    hooks.aborted();
    assertThat(run).containsExactly("commit", "stable", "abort");
  }

  /** Its reads are not kept, so nothing would wake it. */
  @Test
  void aRetryWithAKeptSnapshotBeginsAgainWithoutOne() {
    Tx tx = attempt.begin(true);
    for (int i = 0; i < 1100; i++) {
      tx.getLong(WORD + 32L * i);
    }
    assertThat(attempt.words.isSnapshotOpen()).isTrue();
    assertThatThrownBy(() -> tx.retry())
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(AbortCause.EXTENSION));
    assertThat(attempt.isRetrying()).isFalse();
  }

  @Test
  void anExceptionOutOfAPartEndsTheWholeTransaction() {
    IllegalArgumentException thrown = new IllegalArgumentException("by the test");
    Tx ran = attempt.begin(false);
    assertThatThrownBy(
            () ->
                ran.run(
                    _ -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThatThrownBy(() -> ran.getLong(WORD))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("a nested body threw an exception");
    Tx called = attempt.begin(false);
    assertThatThrownBy(
            () ->
                called.call(
                    _ -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThatThrownBy(() -> called.getLong(WORD)).isInstanceOf(TransactionStateException.class);
  }

  @Test
  void anAllocationThatIsRefusedLeavesNoOperationOpen() {
    Tx tx = attempt.begin(false);
    assertThatThrownBy(() -> tx.allocate(0)).isInstanceOf(IllegalArgumentException.class);
    assertThat(attempt.words.operations.open()).isZero();
    assertThat(tx.allocate(16)).isPositive();
    engine.runner.commit(attempt);
    assertThat(engine.count(Counters.COMMITS)).isEqualTo(1);
  }

  @Test
  void aSessionsHandleStandsForOneTransactionAfterTheOther() {
    TxHandle first = (TxHandle) attempt.beginReusingHandle(false);
    int number = first.number();
    first.requireLive(number);
    TxHandle second = (TxHandle) attempt.beginReusingHandle(false);
    assertThat(second).isSameAs(first);
    assertThat(second.number()).isNotEqualTo(number);
    assertThatThrownBy(() -> second.requireLive(number))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("its session has begun another one");
    assertThat(second.isLive()).isTrue();
  }
}
