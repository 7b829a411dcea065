package io.howdah.nvmsim.loc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LogLayoutTest {

  @Test
  void aTagHasTheBitsItsDiagramSays() {
    long tag = LogLayout.tag(1, 0x1234, 0xABC, 0x89AB_CDEFL);
    assertThat(tag).isEqualTo(1L << 59 | 1L << 58 | 0x1234L << 44 | 0xABCL << 32 | 0x89AB_CDEFL);
    assertThat(LogLayout.isOfLap(tag, 3)).isTrue();
    assertThat(LogLayout.isOfLap(tag, 4)).isFalse();
    assertThat(LogLayout.isOfLap(0, 0)).as("unused").isFalse();
    assertThat(LogLayout.tagTx(tag)).isEqualTo(0x1234);
    assertThat(LogLayout.tagCount(tag)).isEqualTo(0xABC);
    assertThat(LogLayout.tagHome(tag)).isEqualTo(0x89AB_CDEFL);
  }

  @Test
  void anEntryHasTheBitsItsDiagramSays() {
    long entry = LogLayout.entry(LogLayout.COUNT, 0x3FFF, 0x2001, 0xFED, 0x123);
    assertThat(entry)
        .isEqualTo(2L << 62 | 0x3FFFL << 48 | 0x2001L << 34 | 0xFEDL << 22 | 0x123L << 10);
    assertThat(LogLayout.entryKind(entry)).isEqualTo(LogLayout.COUNT);
    assertThat(LogLayout.entryTx(entry)).isEqualTo(0x3FFF);
    assertThat(LogLayout.entryLater(entry)).isEqualTo(0x2001);
    assertThat(LogLayout.entryBlocks(entry)).isEqualTo(0xFED);
    assertThat(LogLayout.entryCount(entry)).isEqualTo(0x123);
    assertThat(LogLayout.hasReservedBits(entry)).isFalse();
    assertThat(LogLayout.hasReservedBits(entry | 1)).isTrue();
    assertThat(LogLayout.hasReservedBits(1L << 48)).as("no kind").isTrue();
  }

  @Test
  void theHeadHasTheWholeTxIdEvenIfOneOfItsWordsIsOlder() {
    long[] words = new long[4];
    LogLayout.putHead(words, 0, 0xFF_FFFF_FFFFL, 0x5_00FF_FFFFL);
    LogLayout.putHead(words, 2, 0xFF_FFFF_FFFFL, 0x5_0100_0003L);
    assertThat(words[0]).isEqualTo(0xFF_FFFF_FFFF_FF_FFFFL);
    assertThat(LogLayout.headSid(words[0])).isEqualTo(0xFF_FFFF_FFFFL);
    assertThat(LogLayout.headTx(words[0], words[1])).isEqualTo(0x5_00FF_FFFFL);
    assertThat(LogLayout.headTx(words[0], words[3])).isEqualTo(0x5_00FF_FFFFL);
    assertThat(LogLayout.headTx(words[2], words[1])).isEqualTo(0x5_0100_0003L);
    assertThat(LogLayout.headTx(words[2], words[3])).isEqualTo(0x5_0100_0003L);
  }
}
