package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

/**
 * Memory after a power cut, as the recovery of an own protocol reads and writes it. Lines sent are
 * durable after the next {@link #awaitDurable}; a cut before it leaves any of them, each torn at
 * its words. For one thread.
 */
public final class RecoveryMemory {
  private final CoreConfig config;
  private final Contents contents;

  /** Over the contents of a machine's memory, its data first. */
  public RecoveryMemory(CoreConfig config, Contents contents) {
    this.config = config;
    this.contents = contents;
  }

  /** The number of lines of the data. */
  public long homeLines() {
    return config.homeLines();
  }

  /** The number of lines of the log. */
  public int logLines() {
    return OwnProtocol.logLines(config);
  }

  /** A word of the log. */
  public long logWord(int logLine, int word) {
    return contents.word(logPlace(logLine), word);
  }

  /** The eight words of a line of the log; a copy. */
  public long[] logContent(int logLine) {
    return copy(logPlace(logLine));
  }

  /** The eight words of a line of the data; a copy. */
  public long[] homeContent(long line) {
    return copy(homePlace(line));
  }

  /** Sends a line to its home location: up to eight words, the rest are zero. */
  public void writeHome(long line, long... words) {
    send(homePlace(line), words);
  }

  /** Sends a line to the log: up to eight words, the rest are zero. */
  public void writeLog(int logLine, long... words) {
    send(logPlace(logLine), words);
  }

  /** Waits until every line sent so far is durable. */
  public void awaitDurable() {
    contents.sink().waited();
  }

  private long homePlace(long line) {
    if (line < 0 || line >= homeLines()) {
      throw new DamagedLogException("it names home line " + line + " of " + homeLines());
    }
    return line;
  }

  private long logPlace(int logLine) {
    if (logLine < 0 || logLine >= logLines()) {
      throw new IllegalArgumentException(
          "the log has " + logLines() + " lines, no line " + logLine);
    }
    return config.logLine() + logLine;
  }

  private long[] copy(long line) {
    long[] words = new long[LINE_WORDS];
    contents.copyTo(line, words, 0);
    return words;
  }

  private void send(long line, long[] words) {
    if (words.length > LINE_WORDS) {
      throw new IllegalArgumentException("a line has " + LINE_WORDS + " words: " + words.length);
    }
    long[] whole = new long[LINE_WORDS];
    System.arraycopy(words, 0, whole, 0, words.length);
    contents.sendLine(line, whole, 0);
  }
}
