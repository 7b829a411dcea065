package io.howdah.nvmsim.loc;

import org.jspecify.annotations.Nullable;

/**
 * No transaction support (LOC, §V-B): stores stay in the cache until it evicts them. A power cut
 * may leave anything.
 */
final class BaseCore extends TransactionCore {
  BaseCore(CoreConfig config, @Nullable Contents contents) {
    super(config, contents);
    if (contents != null) {
      throw new IllegalArgumentException("Base promises nothing that its contents could show");
    }
  }

  /** Nothing has written the line home but evictions: the cache still has it changed. */
  @Override
  public void built(long address) {
    nowPs = caches.access(nowPs, line(address), true);
  }

  @Override
  public long begin() {
    return nextTxId++;
  }

  @Override
  public void store(long txId, long address, long value) {
    memoryInstruction();
    nowPs = caches.access(nowPs, line(address), true);
  }

  @Override
  public void commit(long txId) {
    traffic.transactions++;
  }

  @Override
  public void abort(long txId) {
    throw new UnsupportedOperationException("Base cannot undo a transaction");
  }

  /** Nothing: what the cache has changed stays there, as in a run without end. */
  @Override
  public void flush() {}

  @Override
  public long lastCommittedTxId() {
    return 0;
  }

  @Override
  public long peek(long address) {
    throw new IllegalStateException("this core has no contents");
  }

  @Override
  long evicted(long evictedPs, long line, boolean dirty, int owner) {
    if (!dirty) {
      return evictedPs;
    }
    traffic.evictions++;
    return memory.write(evictedPs, line);
  }

  @Override
  long evictedOlder(long evictedPs, long line, int owner) {
    throw new IllegalStateException("Base keeps no older copies");
  }
}
