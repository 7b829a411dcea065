package io.howdah.log.commit;

import java.util.function.BooleanSupplier;

/** Waits of commits for free space in the log. Thread-safe. */
public interface LogSpace {

  /**
   * Throws if the log accepts no more commits.
   *
   * @throws io.howdah.core.StoreFailedException after a failure
   * @throws io.howdah.core.StoreClosedException after close
   */
  void failIfStopped();

  /**
   * Waits until {@code hasSpace} is true. May return earlier, so the caller must test again.
   *
   * @param deadline the deadline of the wait, which throws its own exception
   * @throws io.howdah.core.LogFullException if the log cannot grow
   */
  void await(BooleanSupplier hasSpace, Deadline deadline);

  /**
   * Waits until commits are no longer blocked.
   *
   * @param lifted returns whether commits are unblocked
   * @param deadline the deadline of the wait, which throws its own exception
   * @throws io.howdah.core.LogFullException if no checkpoint frees a segment in time
   */
  void awaitTrim(BooleanSupplier lifted, Deadline deadline);

  /** Returns the space of lanes without rings, which is unlimited. */
  static LogSpace unlimited(Runnable failIfStopped) {
    return new LogSpace() {
      @Override
      public void failIfStopped() {
        failIfStopped.run();
      }

      @Override
      public void await(BooleanSupplier hasSpace, Deadline deadline) {}

      @Override
      public void awaitTrim(BooleanSupplier lifted, Deadline deadline) {}
    };
  }
}
