package io.howdah.txn.stm;

import io.howdah.txn.alloc.HeapWords;

/** A transaction's words, for the allocator, whose own addresses need no checks. */
final class ContextWords implements HeapWords {

  private final TxWords context;

  ContextWords(TxWords context) {
    this.context = context;
  }

  @Override
  public long get(long address) {
    return context.getUnchecked(address);
  }

  @Override
  public void get(long address, byte[] target, int words) {
    context.getRange(address, target, 0, words);
  }

  @Override
  public void put(long address, long value) {
    context.putUnchecked(address, value);
  }

  @Override
  public void prepare(long address) {
    context.prepare(address);
  }

  @Override
  public RuntimeException refuse(RuntimeException reason) {
    return context.refuse(reason);
  }
}
