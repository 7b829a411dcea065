package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.howdah.codec.CodecException;
import io.howdah.codec.derived.Codecs;
import io.howdah.server.cache.Item;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bytes of an item in the store. */
final class StoredItemTest {

  private static final long[] NUMBERS = {
    1, 127, 128, 1L << 14, (1L << 35) - 1, 1L << 56, Long.MAX_VALUE, -1, Long.MIN_VALUE
  };

  private static byte[] encode(StoredItem item) {
    return Codecs.encode(StoredItem.CODEC, item);
  }

  @Test
  void itemsComeBackAsTheyWere() {
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      long cas = NUMBERS[random.nextInt(NUMBERS.length)];
      long birth = random.nextBoolean() ? cas : NUMBERS[random.nextInt(NUMBERS.length)];
      long expiresAt = random.nextBoolean() ? 0 : NUMBERS[random.nextInt(NUMBERS.length)];
      int flags = random.nextBoolean() ? 0 : random.nextInt();
      byte[] value = new byte[random.nextInt(40)];
      random.nextBytes(value);
      Item item = new Item(flags, expiresAt, cas, random.nextInt(8), value);
      byte[] bytes = encode(new StoredItem(item, birth));
      StoredItem back = Codecs.decode(StoredItem.CODEC, bytes);
      assertThat(back.birth()).isEqualTo(birth);
      assertThat(back.item()).usingRecursiveComparison().isEqualTo(item);
      StoredItem.Header header = Codecs.decode(StoredItem.HEADER_CODEC, bytes);
      assertThat(header).isEqualTo(new StoredItem.Header(birth, expiresAt));
      // What the item counts depends on the length of its bytes: they are counted, not encoded.
      byte[] key = new byte[1];
      long entry = 8L + key.length + bytes.length;
      assertThat(StoredItem.bytes(key, back)).isEqualTo(16 + (entry + 15) / 16 * 16);
    }
  }

  @Test
  void aSimpleItemTakesFewBytesMore() {
    byte[] bytes = encode(new StoredItem(new Item(0, 0, 5, 0, new byte[100]), 5));
    assertThat(bytes).hasSize(102);
  }

  @Test
  void damagedBytesAreRefused() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      if (i % 2 == 0) {
        Arrays.fill(bytes, Math.min(1, bytes.length), bytes.length, (byte) -1); // numbers go on
      }
      try {
        Codecs.decode(StoredItem.CODEC, bytes);
      } catch (CodecException e) {
        assertThat(e).hasMessageContaining("damaged");
      }
      assertThatCode(() -> headerOrRefused(bytes)).doesNotThrowAnyException();
    }
  }

  private static void headerOrRefused(byte[] bytes) {
    try {
      Codecs.decode(StoredItem.HEADER_CODEC, bytes);
    } catch (CodecException e) {
      assertThat(e).hasMessageContaining("damaged");
    }
  }
}
