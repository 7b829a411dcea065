package io.howdah.core;

/**
 * Threads, waiting and time, as the engine sees them. Production uses {@link #system()}; a test kit
 * passes its own to own every scheduling decision and the clock.
 *
 * <p>Thread-safe.
 */
public interface Execution {

  /** Returns a monotone clock in nanoseconds; only differences mean anything. */
  long nanoTime();

  /**
   * Returns the time of day in milliseconds since 1970. It may jump, so nothing depends on it but
   * messages.
   */
  default long wallClockMillis() {
    return System.currentTimeMillis();
  }

  /**
   * Parks the calling thread for at most {@code nanos}, until {@link #unpark}, or spuriously for
   * less. An interrupt ends the wait too and stays set: engine code re-checks its condition and
   * bounds its waits.
   *
   * @param nanos at least 1; parks are timed, so that no lost wake-up can hang a thread
   */
  void parkNanos(Object blocker, long nanos);

  /**
   * Parks like {@link #parkNanos} even if the caller is already interrupted; the interrupt stays
   * set. With {@code parkNanos} an interrupted thread would spin, and as many spinning virtual
   * threads as there are processors would starve the thread that they wait for.
   *
   * @param nanos at least 1
   */
  default void parkThroughInterrupt(Object blocker, long nanos) {
    boolean interrupted = Thread.interrupted();
    if (interrupted) {
      parkNanos(blocker, 1); // consumes the permit that the interrupt has left
    }
    try {
      parkNanos(blocker, nanos);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Parks the calling thread until {@link #unpark}, or for an unspecified time. Where a timer for
   * each park is expensive, as for virtual threads, there may be no timeout. Only for a thread that
   * is in a list which another thread scans regularly.
   */
  default void park(Object blocker) {
    parkNanos(blocker, 100_000_000);
  }

  /** Lets the next or current {@link #parkNanos} of {@code thread} return. */
  void unpark(Thread thread);

  /**
   * Unparks virtual threads, perhaps a little later than {@link #unpark} would, but for less of the
   * caller's time. The threads of one call tend to run on one processor, so they should be of one
   * {@link #threadGroup} and share data.
   *
   * @param threads must not be changed afterwards
   */
  default void unparkAll(Thread[] threads) {
    for (Thread thread : threads) {
      unpark(thread);
    }
  }

  /** Hints that the caller spins on a word that another thread is about to change. */
  void spinWait();

  /** Offers the processor to another thread. */
  void yieldNow();

  /**
   * Starts a daemon platform thread. Only such private threads access files: a channel closes
   * itself when the thread that uses it is interrupted, and code outside the engine cannot
   * interrupt these threads.
   */
  Thread start(String name, Runnable body);

  /**
   * Returns a number of the calling thread that never changes and that few other threads share: for
   * spreading threads over a shared structure.
   */
  default long threadNumber() {
    return Thread.currentThread().threadId();
  }

  /**
   * Returns which of {@code groups} groups the calling thread belongs to; always the same one. With
   * twice as many groups, each group splits into two neighbouring ones.
   */
  default int threadGroup(int groups) {
    long spread = (threadNumber() * 0x9E3779B9L) & 0xFFFF_FFFFL; // by the golden ratio
    return (int) ((spread * groups) >>> Integer.SIZE);
  }

  /**
   * Returns 64 random bits for ids, nonces and secrets such as the keys of hash tables; outside of
   * the process they cannot be guessed. A test kit derives them from its seed.
   */
  default long randomLong() {
    return system().randomLong();
  }

  /** Returns the number of processors that the engine may use, at least 1. */
  int availableProcessors();

  /** Returns the operating system's threads and clock. */
  static Execution system() {
    return SystemExecution.INSTANCE;
  }
}
