package io.howdah.server.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What keys with many prefixes cost: counts of a bounded number of them. */
final class PrefixCountersTest {

  private static final int MOST = 10_000;

  private final PrefixCounters counters = new PrefixCounters();

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void noMorePrefixesAreKeptThanTheBound() {
    counters.enable(true);
    for (int i = 0; i < 2 * MOST; i++) {
      counters.countSet(key("p" + i + ":k"));
      counters.countGet(key("q" + i + ":k"), true);
      counters.countDelete(key("r" + i + ":k"));
    }
    assertThat(counters.dump().lines()).hasSize(MOST);
    counters.countSet(key("p0:other"));
    assertThat(counters.dump()).contains("PREFIX p0 get 0 hit 0 set 2 del 0\r\n");
    counters.reset();
    counters.countGet(key("late:k"), false);
    assertThat(counters.dump()).isEqualTo("PREFIX late get 1 hit 0 set 0 del 0\r\n");
  }

  @Test
  void aKeyWithoutAColonHasNoPrefixAndOneThatBeginsWithItAnEmptyOne() {
    counters.countSet(key("a:b"));
    assertThat(counters.dump()).as("not enabled").isEmpty();
    counters.enable(true);
    counters.countSet(key("plain"));
    assertThat(counters.dump()).isEmpty();
    counters.countSet(key(":k"));
    assertThat(counters.dump()).isEqualTo("PREFIX  get 0 hit 0 set 1 del 0\r\n");
  }

  @Test
  void aKeyThatEndsWithItsColonHasThatPrefix() {
    counters.enable(true);
    counters.countSet(key("user:"));
    counters.countGet(key("user:"), true);
    assertThat(counters.dump()).isEqualTo("PREFIX user get 1 hit 1 set 1 del 0\r\n");
  }
}
