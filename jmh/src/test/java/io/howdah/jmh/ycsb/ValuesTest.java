package io.howdah.jmh.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ValuesTest {

  @ParameterizedTest
  @ValueSource(ints = {16, 17, 100, 1024})
  void aValueIsKnownByItsRecord(int length) {
    Values values = new Values(length);
    byte[] bytes = new byte[length + 2];
    assertThat(values.write(7, 3, bytes, 1)).isEqualTo(length + 1);
    assertThat(values.isOf(7, bytes, 1, length + 1)).isTrue();
    assertThat(Values.version(bytes, 1)).isEqualTo(3);
    assertThat(values.isOf(8, bytes, 1, length + 1)).isFalse();
    assertThat(values.isOf(7, bytes, 1, length)).isFalse();
  }

  @Test
  void anyWrongByteOfTheTextIsFound() {
    Values values = new Values(100);
    byte[] bytes = new byte[100];
    values.write(7, 3, bytes, 0);
    for (int i = Values.MIN_BYTES; i < bytes.length; i++) {
      bytes[i] ^= 1;
      assertThat(values.isOf(7, bytes, 0, 100)).as("byte %d", i).isFalse();
      bytes[i] ^= 1;
    }
  }

  @Test
  void aValueTooShortForItsHeadIsRefused() {
    assertThatThrownBy(() -> new Values(15))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16 to 1,000,000");
  }
}
