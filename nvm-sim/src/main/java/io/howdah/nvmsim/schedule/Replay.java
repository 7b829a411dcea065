package io.howdah.nvmsim.schedule;

final class Replay implements SchedulePolicy {
  private final byte[] choices;
  private int turn;

  Replay(byte[] choices) {
    this.choices = choices;
  }

  @Override
  public String name() {
    return "replay";
  }

  @Override
  public long seed() {
    return 0;
  }

  @Override
  public int choose(long runnable, int current) {
    if (turn == choices.length) {
      throw new IllegalStateException(
          "the recorded schedule ends after " + choices.length + " turns, the program does not");
    }
    int thread = choices[turn];
    if (thread < 0 || thread > 63 || (runnable >>> thread & 1) == 0) {
      throw new IllegalStateException(
          "turn "
              + turn
              + " of the recorded schedule runs thread "
              + thread
              + ", which cannot run there (runnable: "
              + Long.toBinaryString(runnable)
              + ")");
    }
    turn++;
    return thread;
  }
}
