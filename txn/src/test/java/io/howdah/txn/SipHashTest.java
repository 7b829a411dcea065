package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hash of tables is a part of the format: its values never change. */
final class SipHashTest {

  /** Key 00 01 .. 0f and input 00 01 .., as in the reference vectors of SipHash. */
  @ParameterizedTest
  @CsvSource({
    "0, abac0158050fc4dc",
    "1, c9f49bf37d57ca93",
    "7, d3927d989bb11140",
    "8, 369095118d299a8e",
    "9, 25a48eb36c063de4",
    "15, d320d86d2a519956",
    "16, cc4fdd1a7d908b66",
    "63, 9d199062b7bbb3a8"
  })
  void itsValuesAreThoseOfSipHash13(int length, String expected) {
    byte[] bytes = new byte[80];
    for (int offset = 0; offset <= 8; offset += 8) {
      java.util.Arrays.fill(bytes, (byte) 0x55); // what lies behind the input does not count
      for (int i = 0; i < length; i++) {
        bytes[offset + i] = (byte) i;
      }
      long hash = SipHash.hash(0x0706050403020100L, 0x0F0E0D0C0B0A0908L, bytes, offset, length);
      assertThat(Long.toHexString(hash)).isEqualTo(expected);
    }
  }
}
