package io.howdah.core.engine;

import java.util.function.IntFunction;

/**
 * Makes arrays in the Java heap: what is used where tests use memory that ends. One class for all
 * places, as {@link NoAction}.
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
