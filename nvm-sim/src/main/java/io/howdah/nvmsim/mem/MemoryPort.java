package io.howdah.nvmsim.mem;

/**
 * One simulated thread's way to memory: every call is one traced event, unless it says otherwise.
 * The {@code site} argument names the caller's line ({@link io.howdah.nvmsim.trace.Site#here}), 0
 * if it does not care. Words are 8 bytes, aligned; an unaligned address is refused.
 *
 * <p>Programs written against this interface run under the deterministic scheduler and on real
 * threads alike. Memory order is sequential consistency in both.
 */
public interface MemoryPort {
  /** Number of this thread, from 0. */
  int thread();

  long load(long address, int site);

  void store(long address, long value, int site);

  /** Reads 1, 2, 4 or 8 bytes, unsigned; may be unaligned. */
  long load(long address, int size, int site);

  /** Writes the low 1, 2, 4 or 8 bytes of the value; may be unaligned. */
  void store(long address, int size, long value, int site);

  /** Stores the value and returns the old one, in one step. */
  long exchange(long address, long value, int site);

  /** Stores the value if the word holds the expected one; a failure is traced as a load. */
  boolean compareAndSet(long address, long expected, long value, int site);

  /** Adds to the word and returns its old value, in one step. */
  long fetchAndAdd(long address, long delta, int site);

  /**
   * Waits while the word holds the value, and returns what it holds then. One load is traced when
   * the wait begins and one each time the word was written, so a trace stays finite.
   */
  long spinWhile(long address, long value, int site);

  void persistBarrier(int site);

  void newStrand(int site);

  /** Writes back the lines of these bytes; orders nothing alone. */
  void flush(long address, int size, int site);

  /** What was written back before is durable before what follows. */
  void fence(int site);

  /** Waits until every persist this thread has observed is durable. */
  void persistSync(int site);

  /** Allocates persistent memory; traced. */
  long persistentMalloc(long length, long alignment, int site);

  /** Frees persistent memory; traced. */
  void persistentFree(long address, int site);

  /** Marks the begin of an operation; no event of the program's, so it takes no turn. */
  void opBegin(long index, int site);

  /** Marks the end of an operation; no event of the program's, so it takes no turn. */
  void opEnd(long index, int site);
}
