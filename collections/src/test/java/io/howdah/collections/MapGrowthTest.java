package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.TxHandle;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a put costs at most while a map grows, in words, which no scheduler makes more of. */
@Tag("scaled")
final class MapGrowthTest {

  /** More by {@code -Dgrowth.entries}, and in campaigns. */
  private static final long ENTRIES =
      Long.getLong("growth.entries", 300_000 / Integer.getInteger("howdah.stride", 9));

  private static <K> void putAll(
      Codec<K> codec, LongFunction<K> keys, int mostRead, int mostWritten) {
    WordOptions options =
        WordOptions.defaults().withMaxSize((64L << 20) + ENTRIES * 128).withOrecs(1 << 20);
    try (WordStore store = WordStore.inMemory(options)) {
      PersistentMap<K, Long> map = store.map("map", codec, Codec.int64());
      int[] read = {0};
      int[] written = {0};
      for (long i = 0; i < ENTRIES; i++) {
        long value = i;
        store.run(
            TxOptions.async(),
            tx -> {
              map.put(tx, keys.apply(value), value);
              read[0] = Math.max(read[0], TxHandle.of(tx).words().reads.count());
              written[0] = Math.max(written[0], TxHandle.of(tx).words().writes.count());
            });
      }
      assertThat(read[0]).as("stripes read by one put").isLessThan(mostRead);
      assertThat(written[0]).as("words written by one put").isLessThan(mostWritten);
    }
  }

  /** Of an entry, its slot, the counters, a bucket split in two and an overflow bucket. */
  @Test
  void aPutReadsAndWritesAFewWordsHoweverLargeTheMap() {
    putAll(Codec.int64(), i -> i * 0x9E3779B97F4A7C15L, 200, 100);
  }

  @Test
  void soDoesOneOfAKeyOfAnyLength() {
    putAll(Codec.utf8(), i -> "key " + i, 200, 100);
  }
}
