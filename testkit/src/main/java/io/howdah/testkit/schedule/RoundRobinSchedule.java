package io.howdah.testkit.schedule;

/** Each thread in turn. */
final class RoundRobinSchedule implements Schedule {

  private final int quantum;
  private int taken;

  RoundRobinSchedule(int quantum) {
    if (quantum < 1) {
      throw new IllegalArgumentException("quantum is " + quantum + ", expected at least 1");
    }
    this.quantum = quantum;
  }

  @Override
  public int choose(int current, long runnable, boolean waiting) {
    if (!waiting && taken < quantum && (runnable & 1L << current) != 0) {
      taken++;
      return current;
    }
    taken = 1;
    long above = current == 63 ? 0 : runnable & (-1L << (current + 1));
    return Long.numberOfTrailingZeros(above != 0 ? above : runnable);
  }
}
