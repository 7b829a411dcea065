package io.howdah;

import io.howdah.testkit.crash.CrashMoment;

/**
 * At which operations tests let a process die: one in so many, another for each moment. Campaigns
 * take all.
 */
final class OperationSample {

  /** How many operations one is taken of. */
  static final int STRIDE = Integer.getInteger("howdah.stride", 8);

  private OperationSample() {}

  /** Returns the first operation, from 1. */
  static int first(CrashMoment moment) {
    int offset =
        switch (moment) {
          case BEFORE -> 0;
          case MIDDLE -> 1;
          case AFTER -> 2;
        };
    return 1 + offset % STRIDE;
  }
}
