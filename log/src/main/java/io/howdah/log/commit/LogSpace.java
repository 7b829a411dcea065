package io.howdah.log.commit;

import java.util.function.BooleanSupplier;

/** Where commits wait for ring space, and learn that there will be none. Thread-safe. */
public interface LogSpace {

  /**
   * Throws if no commit is accepted any more.
   *
   * @throws io.howdah.core.StoreFailedException after a failure
   * @throws io.howdah.core.StoreClosedException after close
   */
  void failIfStopped();

  /**
   * Waits until {@code hasSpace}, or a while; the caller looks again.
   *
   * @param deadline ends the wait with an exception of its own
   * @throws io.howdah.core.LogFullException if the log cannot grow
   */
  void await(BooleanSupplier hasSpace, Deadline deadline);

  /**
   * Waits until commits are {@code lifted} that the log's limit holds.
   *
   * @param deadline ends the wait with an exception of its own
   * @throws io.howdah.core.LogFullException if that takes too long
   */
  void awaitTrim(BooleanSupplier lifted, Deadline deadline);

  /** Returns the gate of lanes without rings, which never fill. */
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
