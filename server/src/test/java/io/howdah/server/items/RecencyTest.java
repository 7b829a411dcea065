package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RecencyTest {

  private static final long START = 1000;

  private static byte[] key(int number) {
    return ("key" + number).getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void aKeyIsKnownFromItsUseOnUntilItIsDisplaced() {
    Recency recency = new Recency(1 << 14, START);
    for (int i = 0; i < 1000; i++) {
      assertThat(recency.lastUse(key(i))).isEqualTo(START);
      assertThat(recency.takeReference(key(i))).isFalse();
      recency.stored(key(i), START + i + 1);
      assertThat(recency.lastUse(key(i))).isEqualTo(START + i + 1);
      assertThat(recency.isFetched(key(i))).isFalse();
      recency.read(key(i), START + i + 2);
      assertThat(recency.isFetched(key(i))).isTrue();
      assertThat(recency.takeReference(key(i))).isTrue();
      assertThat(recency.takeReference(key(i))).isFalse();
    }
  }

  /**
   * Keys spread over all parts of the table: few of so few displace each other. By chance, 88 of
   * 100 keep their place.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "%d",
        "key%d",
        "user%012d",
        "user%016d",
        "user%020d",
        "%08x",
        "%016x",
        "%1$08d%1$08d",
        "session:%d:profile",
        "%d-and-a-long-end-that-all-of-the-keys-have-in-common",
        "a-long-beginning-that-all-of-the-keys-have-in-common-%d"
      })
  void mostKeysHaveAPlaceOfTheirOwn(String format) {
    int slots = 1 << 15;
    Recency recency = new Recency(slots, START);
    int count = slots / 4;
    List<byte[]> keys =
        IntStream.range(0, count)
            .mapToObj(i -> String.format(format, i).getBytes(StandardCharsets.US_ASCII))
            .toList();
    keys.forEach(key -> recency.stored(key, START + 1));
    long known = keys.stream().filter(key -> recency.lastUse(key) == START + 1).count();
    assertThat(known).isBetween(count * 86L / 100, count * 91L / 100);
  }

  /** The first users of one part come at once; none of them uses a part that nobody sees. */
  @Test
  void threadsThatComeFirstShareAPart() throws InterruptedException {
    for (int round = 0; round < 200; round++) {
      Recency recency = new Recency(1 << 12, START);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        byte[] key = key(i);
        threads.add(Thread.ofPlatform().unstarted(() -> recency.stored(key, START + 1)));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      for (int i = 0; i < 4; i++) {
        assertThat(recency.lastUse(key(i))).isEqualTo(START + 1);
      }
    }
  }
}
