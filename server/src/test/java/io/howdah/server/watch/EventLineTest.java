package io.howdah.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The time of an event has six digits behind the point, whatever they are. */
final class EventLineTest {

  @ParameterizedTest
  @CsvSource({
    "0, 000000",
    "999, 000000",
    "1000, 000001",
    "99999, 000099",
    "10000000, 010000",
    "100000000, 100000",
    "999999999, 999999"
  })
  void microsecondsHaveTheirZeros(int nanos, String micros) {
    EventLine line = new EventLine(Instant.ofEpochSecond(1_700_000_000, nanos), 7, "item_get");
    assertThat(line).hasToString("ts=1700000000." + micros + " gid=7 type=item_get");
  }
}
