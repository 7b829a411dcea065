package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;
import static io.howdah.nvmsim.timing.MemoryDevice.PS_PER_NS;

import io.howdah.nvmsim.timing.machine.BankedMemory;
import io.howdah.nvmsim.timing.machine.CacheHierarchy;
import io.howdah.nvmsim.timing.machine.VictimHandler;
import org.jspecify.annotations.Nullable;

/**
 * An in-order core at 1 GHz that executes one instruction per cycle and stops for every cache miss,
 * with a protocol's transactions. Addresses are bytes from the start of the data, in words of 8.
 *
 * <p>With {@link Contents} the core also moves data, and a {@link PersistSink} sees every line it
 * sends to memory; without, only times are computed. Both execute the same code.
 *
 * <p>Programs cannot extend it: protocols of your own extend {@link OwnProtocol}.
 */
public abstract class TransactionCore {
  private static final int LINE_SHIFT = 6;
  private static final int WORD_SHIFT = 3;

  final CoreConfig config;
  final BankedMemory memory;
  final CacheHierarchy caches;
  final Traffic traffic = new Traffic();
  final @Nullable Contents contents;
  long nowPs;
  long nextTxId = 1;
  private int lastPermit;

  TransactionCore(CoreConfig config, @Nullable Contents contents) {
    this.config = config;
    this.contents = contents;
    memory = new BankedMemory(config.memory());
    caches = new CacheHierarchy(config.caches(), memory, new Victims());
  }

  public final Traffic traffic() {
    return traffic;
  }

  public final long nowPs() {
    return nowPs;
  }

  /** Executes instructions that do not access memory. */
  public final void compute(int instructions) {
    traffic.instructions += instructions;
    nowPs += instructions * PS_PER_NS;
  }

  final void memoryInstruction() {
    traffic.memoryInstructions++;
    nowPs += PS_PER_NS;
  }

  /** Loads a word. */
  public void load(long address) {
    memoryInstruction();
    nowPs = caches.access(nowPs, address >>> LINE_SHIFT, false);
  }

  /**
   * A line that the software wrote as it built its data, before anything else ran, and that this
   * protocol committed and made durable then.
   */
  public void built(long address) {
    nowPs = caches.access(nowPs, line(address), false);
  }

  /** What software reads at an address now; needs contents, and costs no time. */
  public abstract long peek(long address);

  /** Begins a transaction (TxBegin) and returns its id; ids follow each other without gaps. */
  public abstract long begin();

  /** Stores a word in a transaction. */
  public abstract void store(long txId, long address, long value);

  /** Commits: atomic from now on, not yet durable (TxCommit). */
  public abstract void commit(long txId);

  /** Undoes a transaction that is not committed, and all later ones (TxAbort). */
  public abstract void abort(long txId);

  /** Makes everything committed durable (TxFlush). No transaction may be open. */
  public abstract void flush();

  /** All transactions up to this one are committed and durable. */
  public abstract long lastCommittedTxId();

  /** The id the next transaction will have. */
  public final long nextTxId() {
    return nextTxId;
  }

  /** Whether a transaction may begin while another is open. */
  public boolean canBegin() {
    return false;
  }

  /** Starts counting afresh, after a warm-up. */
  public final void resetTraffic() {
    traffic.reset();
  }

  /** Never the same again, so that a line's permit cannot outlive what it was given for. */
  final int newPermit() {
    return ++lastPermit;
  }

  static long line(long address) {
    return address >>> LINE_SHIFT;
  }

  static int word(long address) {
    return (int) (address >>> WORD_SHIFT) & (LINE_WORDS - 1);
  }

  /** What a flush takes to find its way through L2 and the last level, once. */
  final long pathPs() {
    return portPs() + config.caches().l2().latencyNs() * PS_PER_NS;
  }

  /** What each flushed line takes of the last level's port: lines follow each other. */
  final long portPs() {
    return config.caches().llc().latencyNs() * PS_PER_NS;
  }

  /** Waits until all lines sent so far are durable. */
  final void waitForMemory() {
    long before = nowPs;
    nowPs = memory.drained(nowPs);
    traffic.waits++;
    traffic.waitPs += nowPs - before;
    if (contents != null) {
      contents.sink().waited();
    }
  }

  /** Sends a line to its home location. */
  final void writeHome(long line, long @Nullable [] words, int offset) {
    nowPs = memory.write(nowPs, line);
    if (contents != null && words != null) {
      contents.sendLine(line, words, offset);
    }
  }

  /** The newest copy of a line leaves the caches; returns when the core may go on. */
  abstract long evicted(long evictedPs, long line, boolean dirty, int owner);

  /** A copy that was kept beside a newer one leaves the caches. */
  abstract long evictedOlder(long evictedPs, long line, int owner);

  /** Where a line is read from. */
  long memoryLine(long line) {
    return line;
  }

  /** Who owns a line that comes in from memory. */
  int ownerOf(long line) {
    return CacheHierarchy.NO_OWNER;
  }

  /** Whether owned lines must stay as long as there is another choice. */
  boolean pinsOwned() {
    return false;
  }

  /** The caches' side of the core; users do not see it. */
  private final class Victims implements VictimHandler {
    @Override
    public long evicted(long evictedPs, long line, boolean dirty, int owner) {
      return TransactionCore.this.evicted(evictedPs, line, dirty, owner);
    }

    @Override
    public long evictedOlder(long evictedPs, long line, int owner) {
      return TransactionCore.this.evictedOlder(evictedPs, line, owner);
    }

    @Override
    public long memoryLine(long line) {
      return TransactionCore.this.memoryLine(line);
    }

    @Override
    public int ownerOf(long line) {
      return TransactionCore.this.ownerOf(line);
    }

    @Override
    public boolean pinsOwned() {
      return TransactionCore.this.pinsOwned();
    }
  }
}
