package io.howdah.nvmsim.dag;

import io.howdah.nvmsim.trace.Site;
import java.util.List;

/**
 * One persist: an atomic write of a word or, with coalescing, of several stores to one block.
 *
 * @param id index in the DAG, in trace order
 * @param thread thread of its first store
 * @param operation that thread's operation, counted from 0; -1 outside any
 * @param epoch persist barriers of the thread before it
 * @param strand strand barriers of the thread before it
 * @param level persists on the longest chain that ends here, this one included
 * @param stores the stores it makes durable, in trace order, at least one
 * @param predecessors the persists it must follow, without those that follow from others; ids
 */
public record PersistNode(
    int id,
    int thread,
    long operation,
    long epoch,
    long strand,
    int level,
    List<Store> stores,
    List<Integer> predecessors) {
  /**
   * A store, cut at word borders.
   *
   * @param sequence its event in the trace
   * @param thread thread that stored
   * @param address first byte
   * @param size 1 to 8 bytes, within one aligned word
   * @param value the bytes, little-endian; 0 if the trace carries no values
   * @param site its place in the program
   */
  public record Store(long sequence, int thread, long address, int size, long value, Site site) {}

  public PersistNode {
    stores = List.copyOf(stores);
    predecessors = List.copyOf(predecessors);
  }

  /** The store that made this persist. */
  public Store firstStore() {
    return stores.getFirst();
  }

  public long address() {
    return firstStore().address();
  }

  public Site site() {
    return firstStore().site();
  }

  /** Whether any of its stores touches the range. */
  public boolean touches(long from, long length) {
    for (Store store : stores) {
      if (store.address < from + length && from < store.address + store.size) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    Store first = firstStore();
    return "persist #"
        + id
        + " of thread "
        + thread
        + " to 0x"
        + Long.toHexString(first.address)
        + "+"
        + first.size
        + " (event "
        + first.sequence
        + ") at "
        + first.site;
  }
}
