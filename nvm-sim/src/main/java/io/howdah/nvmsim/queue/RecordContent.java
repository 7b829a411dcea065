package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.schedule.SplitMix;

/**
 * What the inserts write: a function of thread and operation, so that recovery can prove it whole.
 */
final class RecordContent {
  private RecordContent() {}

  /** Word 0: the entry's length and, above it, the thread. Word 1: the operation. Then noise. */
  static long word(int entryLength, int thread, long operation, int index) {
    return switch (index) {
      case 0 -> entryLength | (long) thread << 32;
      case 1 -> operation;
      default -> SplitMix.mix(((long) thread << 48) + (operation << 12) + index);
    };
  }
}
