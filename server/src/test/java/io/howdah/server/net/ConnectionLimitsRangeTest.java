package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ConnectionLimitsRangeTest {

  private static final ConnectionLimits DEFAULTS = ConnectionLimits.DEFAULTS;
  private static final long MIN = 1 << 20;
  private static final long MAX = 1L << 40;

  private static void refused(Runnable action, String text) {
    assertThatIllegalArgumentException().isThrownBy(action::run).withMessageContaining(text);
  }

  @Test
  void theEndsOfEachRangeAreAllowed() {
    for (int count : List.of(1, ConnectionLimits.MAX_CONNECTIONS)) {
      assertThat(DEFAULTS.withMaxConnections(count).maxConnections()).isEqualTo(count);
    }
    for (int count : List.of(1, Integer.MAX_VALUE)) {
      assertThat(DEFAULTS.withCommandsPerTurn(count).commandsPerTurn()).isEqualTo(count);
    }
    assertThat(DEFAULTS.withMaxBytes(MIN, MAX).maxUnsentBytes()).isEqualTo(MIN);
    assertThat(DEFAULTS.withMaxBytes(MIN, MAX).maxPartialBytes()).isEqualTo(MAX);
    assertThat(DEFAULTS.withMaxBytes(MAX, MIN).maxUnsentBytes()).isEqualTo(MAX);
    Duration longest = ConnectionLimits.MAX_TIMEOUT;
    ConnectionLimits patient = DEFAULTS.withTimeouts(longest, Duration.ZERO, Duration.ofSeconds(2));
    assertThat(patient.idleTimeout()).isEqualTo(longest);
    assertThat(patient.requestTimeout()).isEqualTo(Duration.ZERO);
    assertThat(patient.writeTimeout()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void anIntervalOfAnyLengthIsRefusedByName() {
    for (long seconds : new long[] {Long.MIN_VALUE, -1, 0, 11, Long.MAX_VALUE}) {
      Duration interval = Duration.ofSeconds(seconds);
      refused(
          () -> ServerOptions.defaults().withForceInterval(interval),
          "the interval of forces is 1 to 10000 ms, not ");
    }
  }

  @Test
  void whatIsBeyondAnEndIsRefusedByName() {
    String connections = "the number of connections is 1 to 1048576, not ";
    refused(() -> DEFAULTS.withMaxConnections(0), connections + 0);
    refused(() -> DEFAULTS.withMaxConnections((1 << 20) + 1), connections + 1_048_577);
    refused(() -> DEFAULTS.withCommandsPerTurn(0), "the number of commands in a turn");
    refused(() -> DEFAULTS.withMaxBytes(MIN - 1, MIN), "the bytes of unsent replies");
    refused(() -> DEFAULTS.withMaxBytes(MAX + 1, MIN), "the bytes of unsent replies");
    refused(() -> DEFAULTS.withMaxBytes(MIN, MIN - 1), "the bytes of partial commands");
    refused(() -> DEFAULTS.withMaxBytes(MIN, MAX + 1), "the bytes of partial commands");
    Duration zero = Duration.ZERO;
    for (Duration timeout :
        List.of(
            ConnectionLimits.MAX_TIMEOUT.plusNanos(1),
            Duration.ofNanos(-1),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE))) {
      String text = "a timeout is 0 to 604800 s, not " + timeout.toSeconds();
      refused(() -> DEFAULTS.withTimeouts(timeout, zero, zero), text);
      refused(() -> DEFAULTS.withTimeouts(zero, timeout, zero), text);
      refused(() -> DEFAULTS.withTimeouts(zero, zero, timeout), text);
    }
  }

  @Test
  void whatIsNotChangedStays() {
    ConnectionLimits all =
        DEFAULTS
            .withMaxConnections(3)
            .withCommandsPerTurn(4)
            .withTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(6), Duration.ofSeconds(7))
            .withMaxBytes(MIN + 8, MIN + 9);
    assertThat(all.withMaxConnections(3).withCommandsPerTurn(4))
        .isEqualTo(
            new ConnectionLimits(
                3,
                4,
                Duration.ofSeconds(5),
                Duration.ofSeconds(6),
                Duration.ofSeconds(7),
                MIN + 8,
                MIN + 9));
  }
}
