package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

/**
 * Memory as the core reads it: everything sent so far has arrived. What a power cut would leave is
 * the {@link PersistSink}'s to know.
 */
public final class Contents {
  private final long[] words;
  private final PersistSink sink;

  /**
   * @param words of the whole memory, data first, then the log area; changed in place
   */
  public Contents(long[] words, PersistSink sink) {
    this.words = words;
    this.sink = sink;
  }

  PersistSink sink() {
    return sink;
  }

  long word(long line, int word) {
    return words[(int) line * LINE_WORDS + word];
  }

  void copyTo(long line, long[] target, int offset) {
    System.arraycopy(words, (int) line * LINE_WORDS, target, offset, LINE_WORDS);
  }

  void copyFrom(long[] from, int offset, long line) {
    System.arraycopy(from, offset, words, (int) line * LINE_WORDS, LINE_WORDS);
  }

  void sendLine(long line, long[] from, int offset) {
    System.arraycopy(from, offset, words, (int) line * LINE_WORDS, LINE_WORDS);
    sink.line(line, from, offset);
  }

  void sendGroup(long line, long[] from, int blocks) {
    System.arraycopy(from, 0, words, (int) line * LINE_WORDS, blocks * LINE_WORDS);
    int meta = LogLayout.META * LINE_WORDS;
    System.arraycopy(from, meta, words, (int) line * LINE_WORDS + meta, LINE_WORDS);
    sink.group(line, from, blocks);
  }
}
