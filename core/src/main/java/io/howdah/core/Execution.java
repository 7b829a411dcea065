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

  /** Returns the time of day in milliseconds since 1970; it may jump, so nothing hangs on it. */
  default long wallClockMillis() {
    return System.currentTimeMillis();
  }

  /**
   * Parks the calling thread for at most {@code nanos}, until {@link #unpark}, or for no reason. An
   * interrupt ends the wait too and stays set: engine code re-checks its condition and bounds its
   * waits.
   *
   * @param nanos at least 1; parks are timed, so that no lost wake-up can hang a thread
   */
  void parkNanos(Object blocker, long nanos);

  /**
   * Parks like {@link #parkNanos}, also if the caller is interrupted already, which stays so. With
   * {@code parkNanos} a wait of an interrupted thread is a spin, and one of as many virtual threads
   * as there are processors leaves none to the thread they wait for.
   *
   * @param nanos at least 1
   */
  default void parkThroughInterrupt(Object blocker, long nanos) {
    boolean interrupted = Thread.interrupted();
    if (interrupted) {
      parkNanos(blocker, 1); // takes what the interrupt has left, which ends one park at once
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
   * Parks the calling thread until {@link #unpark}, for a while, or for no reason, like {@link
   * #parkNanos}; but where a timer for each park is dear, as for virtual threads, there may be
   * none. So it is only for those who stand in a list that another thread goes through now and
   * then.
   */
  default void park(Object blocker) {
    parkNanos(blocker, 100_000_000);
  }

  /** Lets the next or current {@link #parkNanos} of {@code thread} return. */
  void unpark(Thread thread);

  /**
   * Unparks virtual threads: a little later than {@link #unpark} would, perhaps, but for less of
   * the caller's time. Many that come in one call run on one processor, as long as others have
   * enough to do; so they should be of one {@link #threadGroup}, and find there what they share.
   *
   * @param threads not changed any more
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
   * Starts a daemon platform thread. Only such private threads touch files: a channel closes itself
   * when the thread using it is interrupted, and nobody outside can interrupt these.
   */
  Thread start(String name, Runnable body);

  /**
   * Returns a number that tells the calling thread from most others and stays the same: to give
   * threads that share a structure places of their own.
   */
  default long threadNumber() {
    return Thread.currentThread().threadId();
  }

  /**
   * Returns to which of so many groups the calling thread belongs, always the same. Of twice as
   * many groups, the two halves of each are neighbours.
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

  /** Returns how many processors the engine may count on, at least 1. */
  int availableProcessors();

  /** Returns the operating system's threads and clock. */
  static Execution system() {
    return SystemExecution.INSTANCE;
  }
}
