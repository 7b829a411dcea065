package io.howdah.jmh.peers;

/**
 * What a store's JVM reports of one request.
 *
 * @param operations that were done, or another number that was asked for
 * @param nanos elapsed
 * @param cpuNanos processor time of all threads of the JVM
 */
public record PeerAnswer(long operations, long nanos, long cpuNanos) {

  /** How an answer begins; other lines are what libraries print. */
  public static final String OK = "@ok ";

  /** How a refusal begins. */
  public static final String FAILED = "@failed ";

  /** Returns operations per second. */
  public double perSecond() {
    return operations * 1e9 / nanos;
  }

  /** Returns both as one request. */
  PeerAnswer plus(PeerAnswer next) {
    return new PeerAnswer(
        operations + next.operations, nanos + next.nanos, cpuNanos + next.cpuNanos);
  }

  /** Returns the line that {@link #parse} reads. */
  public String line() {
    return OK + operations + " " + nanos + " " + cpuNanos;
  }

  static PeerAnswer parse(String line) {
    String[] parts = line.substring(OK.length()).split(" ", -1);
    return new PeerAnswer(
        Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
  }
}
