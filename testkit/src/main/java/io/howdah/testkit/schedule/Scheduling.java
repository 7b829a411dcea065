package io.howdah.testkit.schedule;

/** Where simulated memory and storage let another thread run. */
public interface Scheduling {

  /** No scheduler: the running thread continues. */
  Scheduling NONE =
      new Scheduling() {
        @Override
        public boolean isActive() {
          return false;
        }

        @Override
        public void step(Step kind, long place, long value) {}

        @Override
        public void delay(long nanos) {}

        @Override
        public void processDied() {}
      };

  /** Returns whether the calling thread is scheduled. */
  boolean isActive();

  /**
   * A point before an access, at which the calling thread may be preempted or killed. Called
   * without locks.
   *
   * @param place what is accessed: an address, or a number that tells the operation
   * @param value what is written, or 0
   * @throws SimulatedCrash if the calling thread's process is dead
   */
  void step(Step kind, long place, long value);

  /** Lets virtual time pass while others run. */
  void delay(long nanos);

  /** The process of the calling thread has died at the disk. */
  void processDied();
}
