package io.howdah.nvmsim.schedule;

import java.util.Arrays;

/**
 * Runs a small program under every schedule it has, depth first. The number of schedules grows with
 * the factorial of the turns, so the search is bounded and says whether it was complete.
 */
public final class ExhaustiveExplorer {
  /** Makes and runs the program afresh under the given policy, and checks what it wants checked. */
  @FunctionalInterface
  public interface Run {
    void under(SchedulePolicy policy);
  }

  /**
   * What a search covered.
   *
   * @param schedules schedules run
   * @param complete whether there were no others
   */
  public record Coverage(long schedules, boolean complete) {}

  private final long maxSchedules;

  /** Stops after this many schedules. */
  public ExhaustiveExplorer(long maxSchedules) {
    this.maxSchedules = maxSchedules;
  }

  /** Runs the program under schedule after schedule. */
  public Coverage explore(Run run) {
    Prefix prefix = new Prefix();
    for (long schedules = 1; ; schedules++) {
      prefix.begin();
      run.under(prefix);
      if (!prefix.advance()) {
        return new Coverage(schedules, true);
      }
      if (schedules == maxSchedules) {
        return new Coverage(schedules, false);
      }
    }
  }

  /** Follows a prefix of choices, then always takes the lowest thread and notes what was left. */
  private static final class Prefix implements SchedulePolicy {
    private byte[] choices = new byte[64];
    private long[] untried = new long[64];
    private int length;
    private int turn;

    void begin() {
      turn = 0;
    }

    @Override
    public String name() {
      return "exhaustive";
    }

    @Override
    public long seed() {
      return 0;
    }

    @Override
    public int choose(long runnable, int current) {
      if (turn == length) {
        if (length == choices.length) {
          choices = Arrays.copyOf(choices, length * 2);
          untried = Arrays.copyOf(untried, length * 2);
        }
        choices[length] = (byte) Long.numberOfTrailingZeros(runnable);
        untried[length] = runnable & (runnable - 1);
        length++;
      }
      return choices[turn++];
    }

    /** Moves to the next schedule; returns false when there is none. */
    boolean advance() {
      while (length > 0 && untried[length - 1] == 0) {
        length--;
      }
      if (length == 0) {
        return false;
      }
      choices[length - 1] = (byte) Long.numberOfTrailingZeros(untried[length - 1]);
      untried[length - 1] &= untried[length - 1] - 1;
      return true;
    }
  }
}
