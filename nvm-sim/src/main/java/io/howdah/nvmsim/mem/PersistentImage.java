package io.howdah.nvmsim.mem;

/** Persistent memory as a recovery finds it. */
@FunctionalInterface
public interface PersistentImage {
  /** Reads an aligned word of the persistent space. */
  long getLong(long address);
}
