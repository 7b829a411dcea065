package io.howdah.jmh.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.junit.jupiter.api.Test;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

final class KeySpaceTest {

  /** Shows the name that YCSB gives a record. */
  private static final class Names extends CoreWorkload {
    Names() {
      zeropadding = 1;
    }

    String of(long number) {
      return buildKeyName(number);
    }
  }

  @Test
  void hashedKeysAreThoseOfYcsb() {
    Measurements.setProperties(new Properties()); // the workload asks for them
    Names names = new Names();
    KeySpace space = new KeySpace(1, KeySpace.Form.HASHED);
    for (long number = 0; number < 10_000; number++) {
      assertThat(space.key(number)).isEqualTo(names.of(number)).hasSizeBetween(5, 23);
    }
  }

  @Test
  void paddedKeysHaveTwentyBytes() {
    KeySpace space = new KeySpace(1, KeySpace.Form.TWENTY_BYTES);
    assertThat(space.key(0)).isEqualTo("user0000000000000000");
    assertThat(space.key(10_000_000)).isEqualTo("user0000000010000000");
  }

  @Test
  void aLoadWithoutRecordsIsRefused() {
    assertThatThrownBy(() -> new KeySpace(0, KeySpace.Form.HASHED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one record");
  }
}
