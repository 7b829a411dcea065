package io.howdah.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which keys a thread holds while it waits for others, and what is left of a lock that failed. */
@Timeout(60)
final class KeyLocksTest {

  private static final ByteBuffer LOW = key(1);
  private static final ByteBuffer HIGH = key(2);

  private final KeyLocks locks = new KeyLocks();
  private final ExecutorService other = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void close() {
    other.close();
  }

  private static ByteBuffer key(int number) {
    return ByteBuffer.wrap(new byte[] {(byte) number});
  }

  /** In one order: two threads that take the same keys in any order never wait for each other. */
  @Test
  void whoWaitsForAKeyHoldsLowerOnesOnly() throws Exception {
    for (List<ByteBuffer> keys : List.of(List.of(LOW, HIGH), List.of(HIGH, LOW))) {
      locks.lock(LOW);
      Thread waiting =
          Thread.ofPlatform()
              .start(
                  () -> {
                    locks.lockAll(keys);
                    locks.unlockAll(keys);
                  });
      while (waiting.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      try {
        other
            .submit(
                () -> {
                  locks.lock(HIGH);
                  locks.unlock(HIGH);
                })
            .get(10, TimeUnit.SECONDS);
      } finally {
        locks.unlock(LOW); // or both threads would wait for ever
        waiting.join();
      }
      assertThat(locks.size()).isZero();
    }
  }

  @Test
  void keysThatWereTakenBeforeOneThatIsRefusedAreFree() throws Exception {
    locks.lock(HIGH);
    assertThatThrownBy(() -> locks.lockAll(List.of(HIGH, LOW)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the key that it is called for");
    other
        .submit(
            () -> {
              locks.lock(LOW);
              locks.unlock(LOW);
            })
        .get(30, TimeUnit.SECONDS);
    locks.unlock(HIGH);
    assertThat(locks.size()).isZero();
  }
}
