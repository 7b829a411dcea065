package io.howdah.core.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ChecksumAndAlignmentTest {

  @Test
  void checksumIsTheOneOfTheStandard() {
    // The check value of CRC-32C in the catalogue of parametrised CRC algorithms.
    ByteBuffer digits = ByteBuffer.wrap("123456789".getBytes(StandardCharsets.US_ASCII));
    assertThat(Crc32c.of(digits, 0, 9)).isEqualTo(0xE3069283);
  }

  @Test
  void checksumIgnoresPositionLimitAndWhatIsOutside() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    buffer.put(8, "123456789".getBytes(StandardCharsets.US_ASCII));
    buffer.position(5).limit(6);
    assertThat(Crc32c.of(buffer, 8, 17)).isEqualTo(0xE3069283);
    assertThat(buffer.position()).isEqualTo(5);
    assertThat(buffer.limit()).isEqualTo(6);
  }

  @Test
  void checksumAroundItselfLeavesOutFourBytesAlone() {
    ByteBuffer buffer = ByteBuffer.allocate(13);
    buffer.put(0, "1234????56789".getBytes(StandardCharsets.US_ASCII));
    assertThat(Crc32c.around(buffer, 4, 13)).isEqualTo(0xE3069283);
    buffer.put(4, (byte) 0).put(7, (byte) 1);
    assertThat(Crc32c.around(buffer, 4, 13)).isEqualTo(0xE3069283);
    buffer.put(3, (byte) 0);
    assertThat(Crc32c.around(buffer, 4, 13)).isNotEqualTo(0xE3069283);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0,0",
    "1,8,0",
    "7,8,0",
    "8,8,8",
    "9,16,8",
    "4611686018427387905,4611686018427387912,4611686018427387904"
  })
  void valuesAreRoundedToEight(long value, long up, long down) {
    assertThat(Alignment.up(value, 8)).isEqualTo(up);
    assertThat(Alignment.down(value, 8)).isEqualTo(down);
    assertThat(Alignment.isAligned(value, 8)).isEqualTo(up == down);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 4096, 1L << 62})
  void powersOfTwo(long value) {
    assertThat(Alignment.isPowerOfTwo(value)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 3, 4095, -1, -2, Long.MIN_VALUE, Long.MAX_VALUE})
  void othersAreNot(long value) {
    assertThat(Alignment.isPowerOfTwo(value)).isFalse();
  }
}
