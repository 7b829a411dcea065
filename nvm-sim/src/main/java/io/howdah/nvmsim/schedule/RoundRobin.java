package io.howdah.nvmsim.schedule;

final class RoundRobin implements SchedulePolicy {
  private final int quantum;
  private int used;

  RoundRobin(int quantum) {
    this.quantum = quantum;
  }

  @Override
  public String name() {
    return "round-robin-" + quantum;
  }

  @Override
  public long seed() {
    return 0;
  }

  @Override
  public int choose(long runnable, int current) {
    if (current >= 0 && used < quantum && (runnable >>> current & 1) != 0) {
      used++;
      return current;
    }
    used = 1;
    long above = current >= 63 ? 0 : runnable & (-1L << (current + 1));
    return Long.numberOfTrailingZeros(above != 0 ? above : runnable);
  }
}
