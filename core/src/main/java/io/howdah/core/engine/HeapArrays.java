package io.howdah.core.engine;

import java.util.function.IntFunction;

/**
 * Makes arrays in the Java heap. Tests replace it by a function that runs out of memory. One class
 * serves all callers, so that an opening loads one.
 */
public final class HeapArrays implements IntFunction<long[]> {

  /** The only one. */
  public static final IntFunction<long[]> INSTANCE = new HeapArrays();

  private HeapArrays() {}

  @Override
  public long[] apply(int length) {
    return new long[length];
  }
}
