package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a store takes in each phase of its life, and who is told of the next one. */
final class LifecycleTest {

  private final Lifecycle lifecycle = new Lifecycle();
  private final List<Throwable> told = new ArrayList<>();
  private int woken;

  private void assertTakes(boolean newTransactions, boolean running) {
    if (newTransactions) {
      assertThatCode(lifecycle::requireOpen).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(lifecycle::requireOpen).isInstanceOf(StoreClosedException.class);
    }
    if (running) {
      assertThatCode(lifecycle::failIfStopped).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(lifecycle::failIfStopped).isInstanceOf(StoreClosedException.class);
    }
    assertThat(lifecycle.isStopped()).isEqualTo(!running);
  }

  @Test
  void eachPhaseTakesLess() {
    lifecycle.onStop(() -> woken++);
    assertTakes(true, true);
    assertThat(lifecycle.startClosing()).isTrue();
    assertThat(woken).isEqualTo(1);
    assertTakes(false, true);
    assertThat(lifecycle.startClosing()).as("a second close").isFalse();
    assertTakes(false, true);
    lifecycle.stop();
    assertThat(woken).isEqualTo(3);
    assertTakes(false, false);
    assertThat(lifecycle.isClosed()).isFalse();
    lifecycle.closed();
    assertTakes(false, false);
    assertThat(lifecycle.isClosed()).isTrue();
    assertThat(lifecycle.startClosing()).isFalse();
  }

  @Test
  void aFailureRefusesAllAndSaysWhy() {
    lifecycle.onStop(() -> woken++);
    Throwable cause = new IllegalStateException("by the test");
    lifecycle.fail(cause);
    assertThat(woken).isEqualTo(1);
    assertThatThrownBy(lifecycle::requireOpen)
        .isInstanceOf(StoreFailedException.class)
        .hasCause(cause);
    assertThatThrownBy(lifecycle::failIfStopped)
        .isInstanceOf(StoreFailedException.class)
        .hasCause(cause);
    assertThat(lifecycle.isStopped()).as("its memory may be in use").isFalse();
  }

  @Test
  void waitersThatCannotBeWokenDoNotKeepTheStoreOpen() {
    lifecycle.onStop(
        () -> {
          throw new StackOverflowError("by the test");
        });
    assertThat(lifecycle.startClosing()).isTrue();
    lifecycle.stop();
    assertThat(lifecycle.isStopped()).isTrue();
    Throwable cause = new IllegalStateException("by the test");
    lifecycle.onFailure(told::add);
    lifecycle.fail(cause);
    assertThat(told).containsExactly(cause);
  }

  @Test
  void theFirstCauseIsKeptAndToldOnce() {
    lifecycle.onFailure(told::add);
    Throwable first = new IllegalStateException("first");
    lifecycle.fail(first);
    lifecycle.fail(new IllegalStateException("second"));
    assertThat(lifecycle.failure()).isSameAs(first);
    assertThat(told).containsExactly(first);
  }

  @Test
  void aCauseSetByAThreadWithoutStackIsReportedByTheThreadThatFindsIt() {
    lifecycle.onFailure(told::add);
    Throwable first = new IllegalStateException("first");
    lifecycle.failure = first;
    lifecycle.fail(first);
    lifecycle.fail(new IllegalStateException("second"));
    assertThat(told).containsExactly(first);
  }

  @Test
  void theStoreStopsEvenIfTheFailureCannotBeReported() {
    lifecycle.onFailure(
        cause -> {
          throw new OutOfMemoryError("no heap for a message");
        });
    lifecycle.fail(new IllegalStateException("first"));
    assertThat(lifecycle.failure()).hasMessage("first");
  }
}
