package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The clock of the server: the system's, moved and paused for tests. */
final class ServerClockTest {

  private final ServerClock clock = new ServerClock();

  /** The clock's second begins up to a second after the system's. */
  private void assertAhead(long seconds) {
    long before = Instant.now().getEpochSecond();
    long read = clock.getAsLong();
    assertThat(read - seconds).isBetween(before - 1, Instant.now().getEpochSecond());
  }

  @Test
  void tellsTheSecondsSince1970() throws InterruptedException {
    assertAhead(0);
    Thread.sleep(1500);
    assertAhead(0);
  }

  @Test
  void isMovedByAllMovesTogether() {
    clock.move(100);
    assertAhead(100);
    clock.move(-1000);
    assertAhead(-900);
  }

  @Test
  void standsWhileItIsPausedAndGoesOnFromThere() throws InterruptedException {
    clock.move(50);
    clock.pause(true);
    long paused = clock.getAsLong();
    Thread.sleep(1100);
    assertThat(clock.getAsLong()).isEqualTo(paused);
    clock.pause(true);
    clock.move(7);
    clock.move(-2);
    assertThat(clock.getAsLong()).isEqualTo(paused + 5);
    clock.pause(false);
    assertThat(clock.getAsLong()).isBetween(paused + 5, paused + 5 + 60);
    clock.pause(false);
    clock.move(10);
    Thread.sleep(1100);
    assertThat(clock.getAsLong()).isBetween(paused + 15 + 1, paused + 15 + 60);
  }
}
