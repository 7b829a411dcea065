package io.howdah.log.commit;

import java.util.function.BooleanSupplier;

/** The free space of the log, as commits wait for it. Thread-safe. */
public interface LogSpace {

  /**
   * Throws if no commit is accepted any more.
   *
   * @throws io.howdah.core.StoreFailedException after a failure
   * @throws io.howdah.core.StoreClosedException after close
   */
  void failIfStopped();

  /**
   * Waits until {@code hasSpace}; may return earlier, so the caller checks again.
   *
   * @param deadline ends the wait with an exception of its own
   * @throws io.howdah.core.LogFullException if the log cannot grow
   */
  void await(BooleanSupplier hasSpace, Deadline deadline);

  /**
   * Waits until commits are not blocked by the log's limit any more.
   *
   * @param deadline ends the wait with an exception of its own
   * @throws io.howdah.core.LogFullException if no checkpoint frees a segment in time
   */
  void awaitTrim(BooleanSupplier lifted, Deadline deadline);

  /** Returns the space of lanes without rings: never exhausted. */
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
