package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An interrupt that ends a blocking call of a body is not lost when the body runs again. */
@Timeout(60)
final class InterruptedBodyTest {

  private static final long WORD = 8192;

  private final CountDownLatch never = new CountDownLatch(1);

  @Test
  void theNextAttemptIsInterruptedToo() {
    try (WordEngine store = WordEngine.inMemory(EngineOptions.defaults().withMaxSize(1 << 20))) {
      int[] attempts = {0};
      Thread.currentThread().interrupt();
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        tx.getLong(WORD);
                        if (attempts[0]++ == 0) {
                          // What the body has read is stale, so its exception does not count.
                          store.run(other -> other.putLong(WORD, 1));
                        }
                        never.await(); // for ever, if the interrupt is lost
                      }))
          .isInstanceOf(InterruptedException.class);
      assertThat(attempts[0]).isEqualTo(2);
      assertThat(Thread.interrupted()).as("taken by the exception").isFalse();
    }
  }
}
