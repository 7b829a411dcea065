package io.howdah.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
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
}
