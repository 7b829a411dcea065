package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import java.util.Locale;

/** Schedules that a study can be run under. */
public enum ScheduleKind {
  ROUND_ROBIN,
  RANDOM,
  PCT;

  private static final int PCT_DEPTH = 3;
  private static final long EVENTS_PER_INSERT = 40;

  /** The schedule with this seed, for a run of so many inserts. */
  public SchedulePolicy create(long seed, long inserts) {
    return switch (this) {
      case ROUND_ROBIN -> Policies.roundRobin(1);
      case RANDOM -> Policies.random(seed);
      case PCT -> Policies.pct(seed, PCT_DEPTH, inserts * EVENTS_PER_INSERT);
    };
  }

  /** Its name on the command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public String toString() {
    return text();
  }
}
