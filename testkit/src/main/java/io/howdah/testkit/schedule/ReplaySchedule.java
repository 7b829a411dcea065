package io.howdah.testkit.schedule;

/** Repeats a recorded run. */
final class ReplaySchedule implements Schedule {

  private final String[] runs;
  private int next;
  private int slot;
  private long left;

  ReplaySchedule(String recorded) {
    runs = recorded.isEmpty() ? new String[0] : recorded.split(",", -1);
  }

  @Override
  public int choose(int current, long runnable, boolean waiting) {
    if (left == 0) {
      if (next == runs.length) {
        throw new IllegalStateException("the recorded schedule is over, but the run is not");
      }
      String[] run = runs[next++].split("x", -1);
      slot = Integer.parseInt(run[0]);
      left = run.length > 1 ? Long.parseLong(run[1]) : 1;
    }
    left--;
    if (slot < 0 || slot > 63 || (runnable & 1L << slot) == 0) {
      throw new IllegalStateException(
          "the recorded schedule wants thread " + slot + ", which cannot go on: another program?");
    }
    return slot;
  }
}
