package io.howdah.store.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.ArchiveFrameLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How the payloads of frames are stored. */
final class PayloadCodingTest {

  private static final Archive ARCHIVE =
      Archive.to(Path.of("unused"), Duration.ofSeconds(1)).withKey(new byte[32]);

  private final ByteBuffer header =
      ByteBuffer.allocateDirect(ArchiveFrameLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
  private final ByteBuffer payload = ByteBuffer.allocateDirect(4096).order(ByteOrder.LITTLE_ENDIAN);

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** With one key and nonce, equal payloads would be stored as equal bytes. */
  @Test
  void noTwoFramesHaveTheSameKeyAndNonce() {
    Set<ByteBuffer> stored = new HashSet<>();
    try (PayloadCoding coding = new PayloadCoding(ARCHIVE)) {
      for (String object : new String[] {"a", "b", "c"}) {
        for (long sequence = 0; sequence < 10; sequence++) {
          ByteBuffer encoded = coding.encode(object, sequence, header, payload);
          stored.add(ByteBuffer.wrap(bytes(encoded)));
        }
      }
    }
    assertThat(stored).hasSize(30);
  }

  /** Several stores may have one key, and an archive may be begun again in the same place. */
  @Test
  void eachStoreAndEachRunHasKeysOfItsOwn() {
    Set<ByteBuffer> stored = new HashSet<>();
    try (PayloadCoding coding = new PayloadCoding(ARCHIVE)) {
      for (int place :
          new int[] {
            ArchiveFrameLayout.STORE_ID_HIGH_OFFSET,
            ArchiveFrameLayout.STORE_ID_LOW_OFFSET,
            ArchiveFrameLayout.RUN_OFFSET,
            ArchiveFrameLayout.NONCE_OFFSET
          }) {
        for (long value : new long[] {1, 1L << Integer.SIZE, Long.MIN_VALUE}) {
          header.putLong(place, value);
          ByteBuffer encoded = coding.encode("a", 3, header, payload);
          // Without the tag, which depends on the header in any case.
          stored.add(ByteBuffer.wrap(bytes(encoded.duplicate().limit(payload.capacity()))));
        }
      }
    }
    assertThat(stored).hasSize(12);
  }

  @Test
  void aFrameIsReadOnlyInItsPlace() {
    header.putInt(ArchiveFrameLayout.LENGTH_OFFSET, payload.remaining());
    payload.putLong(0, 42);
    try (PayloadCoding coding = new PayloadCoding(ARCHIVE);
        PayloadCoding reading = new PayloadCoding(ARCHIVE)) {
      ByteBuffer stored = coding.encode("a", 7, header, payload);
      ByteBuffer read = reading.decode("a", 7, header, stored, 0);
      assertThat(read.order(ByteOrder.LITTLE_ENDIAN).getLong(0)).isEqualTo(42);
      assertThatThrownBy(() -> reading.decode("a", 8, header, stored, 0))
          .isInstanceOf(UnsupportedStoreException.class);
      assertThatThrownBy(() -> reading.decode("b", 7, header, stored, 0))
          .isInstanceOf(UnsupportedStoreException.class);
      header.putLong(ArchiveFrameLayout.FIRST_OFFSET, 1);
      assertThatThrownBy(() -> reading.decode("a", 7, header, stored, 0))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("another key, or was changed");
    }
  }
}
