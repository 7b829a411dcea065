package io.howdah.nvmsim.thynvm.system;

/** The caches, as a memory system needs them for a checkpoint (§4.4). */
@FunctionalInterface
public interface DirtyLines {
  /** No caches: a checkpoint takes what memory has. */
  DirtyLines NONE = nowPs -> nowPs;

  /**
   * Writes every changed line back, without invalidating it, and returns when the last one was
   * accepted. The lines come to {@link MemorySystem#writeBack}.
   */
  long flush(long nowPs);
}
