package io.howdah.jmh.ycsb;

/** What a thread of a load does next. For one thread. */
interface Phase {

  /** No operation is to come. */
  long NEVER = Long.MAX_VALUE;

  /** Returns when the next operation is due by {@link System#nanoTime}, or {@link #NEVER}. */
  long nextDueNanos();

  /** Adds the next operation to a pipeline that has room for two requests. */
  void add(Pipeline pipeline, long dueNanos);

  /** A write was acknowledged. */
  default void stored(long number, long version) {}

  /** A read found its record. */
  default void hit(long number, long version) {}

  /** A read did not find its record. */
  default void miss(long number) {}
}
