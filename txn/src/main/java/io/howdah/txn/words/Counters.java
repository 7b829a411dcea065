package io.howdah.txn.words;

import io.howdah.txn.AbortCause;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The counters of one attempt object. One thread at a time writes them and any thread reads them,
 * so an increment needs no atomic addition.
 */
public final class Counters {

  public static final int COMMITS = 5;
  public static final int READ_ONLY_COMMITS = COMMITS + 1;
  public static final int IRREVOCABLE = READ_ONLY_COMMITS + 1;
  public static final int EXTENSIONS = IRREVOCABLE + 1;
  public static final int VOIDS = EXTENSIONS + 1;
  public static final int MULTIPART_COMMITS = VOIDS + 1;
  public static final int DEPENDENT_COMMITS = MULTIPART_COMMITS + 1;
  public static final int RETRIES = DEPENDENT_COMMITS + 1;

  /** Number of counters. The first ones are the abort causes, see {@link #of}. */
  public static final int LENGTH = RETRIES + 1;

  // Arrays of two attempts may be adjacent on the heap. Padding keeps them on separate cache lines.
  private static final int PADDING = 8;

  private final AtomicLongArray values = new AtomicLongArray(PADDING + LENGTH + PADDING);

  /** Returns the counter of an abort cause. */
  public static int of(AbortCause cause) {
    return switch (cause) {
      case LOCKED -> 0;
      case EXTENSION -> 1;
      case VALIDATION -> 2;
      case EXPLICIT -> 3;
      case EXCEPTION -> 4;
    };
  }

  public void increment(int counter) {
    int at = PADDING + counter;
    values.setOpaque(at, values.getPlain(at) + 1);
  }

  public void increment(AbortCause cause) {
    increment(of(cause));
  }

  /** Adds all counters to an array of {@link #LENGTH} sums. */
  public void addTo(long[] sum) {
    for (int i = 0; i < LENGTH; i++) {
      sum[i] += values.getOpaque(PADDING + i);
    }
  }
}
