package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The base of a transaction protocol of your own: it says what happens at the first store to a line
 * and at a commit, out of writes to the log, writes to home locations and waits. Caches, memory,
 * core and counting are the simulator's.
 *
 * <p>The same protocol runs in two ways. A timing run has no contents: {@link #content} gives lines
 * of zeros then, so times must not depend on it. A run that is cut has contents, and the lines that
 * the protocol sends are what a power cut leaves, in any subset and order since the last {@link
 * #awaitDurable}, each line torn at its words; {@link ProtocolProvider#recover} must make the
 * result whole.
 *
 * <p>One transaction runs at a time. A protocol that gathers several commits into one calls {@link
 * #durable} when they are, and makes the rest durable in {@link #flush}. Lines are 64 bytes, eight
 * words; a line is a number from 0, the start of the data. The log's lines have numbers of their
 * own, from 0. For one thread.
 */
public abstract class OwnProtocol extends TransactionCore {
  private final Set<Long> lines = new LinkedHashSet<>();

  /** What software reads of lines that the caches hold changed; empty without contents. */
  private final Map<Long, long[]> cached = new HashMap<>();

  private final int logLines;
  private long openTx;
  private long lastDurable;

  /** For the machine and the contents that {@link ProtocolProvider#create} is given. */
  protected OwnProtocol(CoreConfig config, @Nullable Contents contents) {
    super(config, contents);
    logLines = logLines(config);
  }

  static int logLines(CoreConfig config) {
    return LogLayout.HEAD_LINES + config.logGroups() * LogLayout.GROUP_LINES;
  }

  /**
   * A transaction stores to a line for the first time; {@link #content} still has its old content.
   */
  protected abstract void firstStore(long txId, long line);

  /**
   * A transaction commits. A protocol whose commits are durable ends with {@link #durable}.
   *
   * @param changed the lines it stored to, in the order of the first stores; for this call only
   */
  protected abstract void commitLines(long txId, Set<Long> changed);

  /**
   * A transaction is undone. Changed lines that are still cached are dropped when this returns; a
   * line that was evicted meanwhile has its new content at home.
   *
   * @param changed the lines it stored to
   */
  protected abstract void abortLines(long txId, Set<Long> changed);

  /**
   * The caches evict a line that was changed; it goes home, unless this is overridden. It may write
   * to the log and home, and must not wait.
   */
  protected void evictedChanged(long line) {
    sendHome(line);
  }

  /** The number of lines of the log. */
  protected final int logLines() {
    return logLines;
  }

  /**
   * A word of the log as it was when this core was created or last wrote it; 0 without contents.
   */
  protected final long logWord(int logLine, int word) {
    return contents == null ? 0 : contents.word(place(logLine), word);
  }

  /** The id of the first transaction: one more than the last that the log knows. Begin with it. */
  protected final void firstTxId(long txId) {
    if (txId < 1 || openTx != 0) {
      throw new IllegalArgumentException("first transaction " + txId);
    }
    nextTxId = txId;
    lastDurable = txId - 1;
  }

  /** The eight words of a line as software reads them; a copy. */
  protected final long[] content(long line) {
    long[] words = cached.get(line);
    if (words != null) {
      return words.clone();
    }
    words = new long[LINE_WORDS];
    if (contents != null) {
      contents.copyTo(line, words, 0);
    }
    return words;
  }

  /** Changes what software reads of a line, for a protocol that undoes stores. */
  protected final void setContent(long line, long[] words) {
    if (words.length != LINE_WORDS) {
      throw new IllegalArgumentException("a line has " + LINE_WORDS + " words: " + words.length);
    }
    nowPs = caches.access(nowPs, line, true);
    if (contents != null) {
      cached.put(line, words.clone());
    }
  }

  /**
   * Sends a line to the log: up to eight words, the rest are zero.
   *
   * @param logLine 0 to {@link #logLines()}, exclusive
   */
  protected final void writeLog(int logLine, long... words) {
    long line = place(logLine);
    if (words.length > LINE_WORDS) {
      throw new IllegalArgumentException("a line has " + LINE_WORDS + " words: " + words.length);
    }
    traffic.logBlocks++;
    nowPs = memory.write(nowPs, line);
    if (contents != null) {
      long[] whole = new long[LINE_WORDS];
      System.arraycopy(words, 0, whole, 0, words.length);
      contents.sendLine(line, whole, 0);
    }
  }

  private long place(int logLine) {
    if (logLine < 0 || logLine >= logLines) {
      throw new IllegalArgumentException("the log has " + logLines + " lines, no line " + logLine);
    }
    return config.logLine() + logLine;
  }

  /** Sends a line from the caches to its home location. It stays cached, unchanged. */
  protected final void writeHome(long line) {
    nowPs += portPs();
    caches.clean(line);
    traffic.homeWrites++;
    sendHome(line);
  }

  private void sendHome(long line) {
    nowPs = memory.write(nowPs, line);
    if (contents != null) {
      contents.sendLine(line, content(line), 0);
      cached.remove(line);
    }
  }

  /** Waits until every line sent so far is durable. */
  protected final void awaitDurable() {
    nowPs += pathPs();
    waitForMemory();
  }

  /**
   * Promises that all transactions up to this one survive a power cut. Power cuts are checked
   * against this.
   */
  protected final void durable(long txId) {
    lastDurable = txId;
    if (contents != null) {
      contents.sink().reported(txId);
    }
  }

  @Override
  public final long begin() {
    compute(1);
    if (openTx != 0) {
      throw new IllegalStateException("transaction " + openTx + " is still open");
    }
    openTx = nextTxId++;
    return openTx;
  }

  @Override
  public final void store(long txId, long address, long value) {
    requireOpen(txId);
    memoryInstruction();
    long line = line(address);
    if (lines.add(line)) {
      firstStore(txId, line);
    }
    nowPs = caches.access(nowPs, line, true);
    if (contents != null) {
      long[] words = content(line);
      words[word(address)] = value;
      cached.put(line, words);
    }
  }

  @Override
  public final void commit(long txId) {
    requireOpen(txId);
    compute(1);
    traffic.transactions++;
    commitLines(txId, lines);
    end();
  }

  @Override
  public final void abort(long txId) {
    requireOpen(txId);
    compute(1);
    abortLines(txId, lines);
    for (long line : lines) {
      caches.discard(line);
      cached.remove(line);
    }
    end();
  }

  private void requireOpen(long txId) {
    if (txId == 0 || txId != openTx) {
      throw new IllegalStateException("transaction " + txId + " is not open; open is " + openTx);
    }
  }

  private void end() {
    lines.clear();
    openTx = 0;
  }

  @Override
  public final long lastCommittedTxId() {
    return lastDurable;
  }

  /** Makes everything committed durable; a protocol that does so at each commit needs nothing. */
  @Override
  public void flush() {}

  @Override
  public final long peek(long address) {
    if (contents == null) {
      throw new IllegalStateException("this core has no contents");
    }
    return content(line(address))[word(address)];
  }

  @Override
  final long evicted(long evictedPs, long line, boolean dirty, int owner) {
    nowPs = evictedPs;
    if (dirty) {
      traffic.evictions++;
      evictedChanged(line);
    }
    return nowPs;
  }

  @Override
  final long evictedOlder(long evictedPs, long line, int owner) {
    throw new IllegalStateException("this protocol keeps no older copies");
  }
}
