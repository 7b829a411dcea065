package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import java.util.Arrays;

/** Passes another policy's choices on and keeps them, for {@link Policies#replay}. */
public final class RecordedSchedule implements SchedulePolicy {
  private final SchedulePolicy policy;
  private final int maxTurns;
  private byte[] choices = new byte[1024];
  private int count;

  /** Keeps at most this many turns; a longer run is an error. */
  public RecordedSchedule(SchedulePolicy policy, int maxTurns) {
    this.policy = policy;
    this.maxTurns = maxTurns;
  }

  @Override
  public String name() {
    return policy.name();
  }

  @Override
  public long seed() {
    return policy.seed();
  }

  @Override
  public int choose(long runnable, int current) {
    int thread = policy.choose(runnable, current);
    if (count == maxTurns) {
      throw new IllegalStateException("schedule longer than the " + maxTurns + " turns kept");
    }
    if (count == choices.length) {
      choices = Arrays.copyOf(choices, Math.min(maxTurns, count * 2));
    }
    choices[count++] = (byte) thread;
    return thread;
  }

  /** The choices so far. */
  public byte[] choices() {
    return Arrays.copyOf(choices, count);
  }
}
