package io.howdah.log;

import java.util.function.BooleanSupplier;

/** Where commits wait for ring space, and learn that there will be none. Thread-safe. */
interface RoomGate {

  /**
   * Throws if no commit is accepted any more.
   *
   * @throws io.howdah.core.StoreFailedException after a failure
   * @throws io.howdah.core.StoreClosedException after close
   */
  void failIfStopped();

  /**
   * Waits until {@code hasRoom}, or a while; the caller looks again.
   *
   * @throws io.howdah.core.LogFullException if the log cannot grow
   */
  void await(BooleanSupplier hasRoom);

  /**
   * Waits until commits are {@code lifted} that the log's limit holds.
   *
   * @throws io.howdah.core.LogFullException if that takes too long
   */
  void awaitLift(BooleanSupplier lifted);

  /** Returns the gate of lanes without rings, which never fill. */
  static RoomGate unlimited(Runnable failIfStopped) {
    return new RoomGate() {
      @Override
      public void failIfStopped() {
        failIfStopped.run();
      }

      @Override
      public void await(BooleanSupplier hasRoom) {}

      @Override
      public void awaitLift(BooleanSupplier lifted) {}
    };
  }
}
