package io.howdah.nvmsim.crash.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import io.howdah.nvmsim.loc.LogLayout;
import io.howdah.nvmsim.loc.PersistSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Everything a core sends to memory, in order, with what software knew at the time. */
final class PersistTape implements PersistSink {

  /** What happened, and what software had been promised before it. */
  sealed interface Event {}

  /** Lines on their way to memory. */
  static final class Sent implements Event {
    private final long[] lines;
    private final long[] words;
    private final boolean atomic;

    /**
     * @param lines which ones
     * @param words their contents, one after the other
     * @param atomic whether all become durable together
     */
    Sent(long[] lines, long[] words, boolean atomic) {
      this.lines = lines;
      this.words = words;
      this.atomic = atomic;
    }

    /** Word of memory that the i-th word goes to. */
    int target(int i) {
      return (int) lines[i / LINE_WORDS] * LINE_WORDS + i % LINE_WORDS;
    }

    long word(int i) {
      return words[i];
    }

    int length() {
      return words.length;
    }

    boolean atomic() {
      return atomic;
    }
  }

  /** All lines sent before are durable. */
  record Waited() implements Event {}

  /** Transactions up to this one are reported as committed and durable. */
  record Reported(long txId) implements Event {}

  /** Software has finished, by commit or abort, all transactions up to this one. */
  record Finished(long txId) implements Event {}

  private static final Waited WAITED = new Waited();

  private final List<Event> events = new ArrayList<>();

  List<Event> events() {
    return events;
  }

  @Override
  public void line(long line, long[] words, int offset) {
    events.add(
        new Sent(new long[] {line}, Arrays.copyOfRange(words, offset, offset + LINE_WORDS), false));
  }

  @Override
  public void group(long line, long[] words, int blocks) {
    long[] lines = new long[blocks + 1];
    long[] copy = new long[(blocks + 1) * LINE_WORDS];
    for (int i = 0; i < blocks; i++) {
      lines[i] = line + i;
    }
    lines[blocks] = line + LogLayout.META;
    System.arraycopy(words, 0, copy, 0, blocks * LINE_WORDS);
    System.arraycopy(words, LogLayout.META * LINE_WORDS, copy, blocks * LINE_WORDS, LINE_WORDS);
    events.add(new Sent(lines, copy, true));
  }

  @Override
  public void waited() {
    events.add(WAITED);
  }

  @Override
  public void reported(long txId) {
    events.add(new Reported(txId));
  }

  void finished(long txId) {
    events.add(new Finished(txId));
  }
}
