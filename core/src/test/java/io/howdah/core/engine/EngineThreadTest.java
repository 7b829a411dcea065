package io.howdah.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class EngineThreadTest {

  private final EngineThread thread = new EngineThread(Execution.system(), "tested");

  @Test
  void closeReturnsOnceTheBodyHasReturned() {
    AtomicBoolean returned = new AtomicBoolean();
    thread.start(
        () -> {
          while (!thread.isClosing()) {
            Execution.system().parkNanos(this, 1_000_000_000_000L);
          }
          returned.set(true);
        });
    assertThat(thread.hasEnded()).isFalse();
    thread.close();
    thread.close();
    assertThat(returned).isTrue();
    assertThat(thread.hasEnded()).isTrue();
    thread.failIfFailed();
  }

  @Test
  void closeOfAThreadThatWasNeverStartedReturns() {
    thread.unpark();
    thread.close();
    assertThat(thread.hasEnded()).isFalse();
  }

  @Test
  void whatTheBodyThrowsIsKeptBeforeItIsReported() {
    IllegalStateException thrown = new IllegalStateException("the disk is gone");
    CompletableFuture<Throwable> kept = new CompletableFuture<>();
    thread.start(
        () -> {
          throw thrown;
        },
        _ -> kept.complete(thread.failure()));
    assertThat(kept.join()).isSameAs(thrown);
    thread.close();
    assertThatThrownBy(thread::failIfFailed).isSameAs(thrown);
  }

  @Test
  void aFailureIsReportedAgainWhileMemoryIsShort() {
    AtomicInteger calls = new AtomicInteger();
    CompletableFuture<Throwable> reported = new CompletableFuture<>();
    IllegalStateException thrown = new IllegalStateException("the disk is gone");
    thread.start(
        () -> {
          throw thrown;
        },
        cause -> {
          if (calls.incrementAndGet() < 3) {
            throw new OutOfMemoryError("planned by the test");
          }
          reported.complete(cause);
        });
    assertThat(reported.orTimeout(60, TimeUnit.SECONDS).join()).isSameAs(thrown);
    thread.close();
    assertThat(calls).hasValue(3);
  }

  @Test
  void closeEndsAThreadThatCannotReportItsFailure() {
    thread.start(
        () -> {
          throw new IllegalStateException("the disk is gone");
        },
        _ -> {
          throw new OutOfMemoryError("planned by the test");
        });
    thread.close();
    assertThat(thread.hasEnded()).isTrue();
  }
}
