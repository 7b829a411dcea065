package io.howdah.nvmsim.loc;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The base of a transaction protocol of your own: it says what happens at the first store to a line
 * and at a commit, out of writes to the log, writes to home locations and waits. Caches, memory,
 * core and counting are the simulator's. Times only: the lines have no contents.
 *
 * <p>One transaction runs at a time. A protocol that gathers several commits into one counts them
 * itself and makes the rest durable in {@link #flush}. Lines are 64 bytes; a line is a number from
 * 0, the start of the data.
 */
public abstract class OwnProtocol extends TransactionCore {
  private final Set<Long> lines = new LinkedHashSet<>();
  private final long logLines;
  private long nextLogLine;
  private long openTx;
  private long lastCommitted;

  /** For the machine that {@link ProtocolProvider#create} is given. */
  protected OwnProtocol(CoreConfig config) {
    super(config, null);
    logLines = (long) config.logGroups() * LogLayout.GROUP_LINES;
  }

  /** A transaction stores to a line for the first time; the line still has its old content. */
  protected abstract void firstStore(long line);

  /**
   * A transaction commits.
   *
   * @param changed the lines it stored to, in the order of the first stores; for this call only
   */
  protected abstract void commitLines(Set<Long> changed);

  /**
   * A transaction is undone; what it stored to the caches is forgotten by the caller.
   *
   * @param changed the lines it stored to
   */
  protected void abortLines(Set<Long> changed) {}

  /** Sends one line to the next place of the log; the log is used round and round. */
  protected final void writeLog() {
    traffic.logBlocks++;
    nowPs = memory.write(nowPs, config.logLine() + nextLogLine);
    nextLogLine = (nextLogLine + 1) % logLines;
  }

  /** Sends a line from the caches to its home location. It stays cached, unchanged. */
  protected final void writeHome(long line) {
    traffic.homeWrites++;
    nowPs += portPs();
    caches.clean(line);
    nowPs = memory.write(nowPs, line);
  }

  /** Waits until every line sent so far is durable. */
  protected final void awaitDurable() {
    nowPs += pathPs();
    waitForMemory();
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
      firstStore(line);
    }
    nowPs = caches.access(nowPs, line, true);
  }

  @Override
  public final void commit(long txId) {
    requireOpen(txId);
    compute(1);
    traffic.transactions++;
    commitLines(lines);
    lastCommitted = txId;
    end();
  }

  @Override
  public final void abort(long txId) {
    requireOpen(txId);
    compute(1);
    abortLines(lines);
    lines.forEach(caches::discard);
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
    return lastCommitted;
  }

  /** Makes everything committed durable; a protocol that does so at each commit needs nothing. */
  @Override
  public void flush() {}

  @Override
  public final long peek(long address) {
    throw new IllegalStateException("this protocol has no contents");
  }

  /** An evicted line that was changed goes home. */
  @Override
  public final long evicted(long evictedPs, long line, boolean dirty, int owner) {
    if (!dirty) {
      return evictedPs;
    }
    traffic.evictions++;
    return memory.write(evictedPs, line);
  }

  @Override
  public final long evictedOlder(long evictedPs, long line, int owner) {
    throw new IllegalStateException("this protocol keeps no older copies");
  }
}
