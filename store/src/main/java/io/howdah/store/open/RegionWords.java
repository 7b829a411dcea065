package io.howdah.store.open;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Region;
import io.howdah.txn.alloc.HeapWords;

/**
 * The words of a region that nothing else uses, without transactions: what is written is marked for
 * the next checkpoint. Not thread-safe.
 */
record RegionWords(Region region, DirtyPages dirty) implements HeapWords {

  @Override
  public long get(long address) {
    return region.getLong(address);
  }

  @Override
  public void get(long address, byte[] target, int words) {
    region.getBytes(address, target, 0, words * Long.BYTES);
  }

  @Override
  public void put(long address, long value) {
    region.setLong(address, value);
    dirty.markIn(dirty.currentMap(), dirty.pageOf(address));
  }

  @Override
  public void prepare(long address) {
    // No commit waits for the page.
  }

  @Override
  public RuntimeException refuse(RuntimeException reason) {
    return reason;
  }
}
