package io.howdah.codec.derived;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link OrderedCodecTest} with a million values for each codec. */
@Tag("campaign")
final class OrderedCodecCampaignTest {

  private static final int VALUES = 1_000_000;

  @ParameterizedTest
  @MethodSource("io.howdah.codec.derived.OrderedCodecTest#subjects")
  void bytesHaveTheOrderOfValues(OrderedCodecTest.Subject<?> subject) {
    subject.check(VALUES);
  }
}
