package io.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Two laps of a {@link ToyLog}, and what it promised. */
final class ToyLogScenario implements CrashScenario {

  private static final long LATER = 99;

  private final Set<ToyLog.Bug> bugs;
  private long lap = 1;
  private final List<Long> acknowledged = new ArrayList<>();
  private final List<Long> attempted = new ArrayList<>();
  private boolean openedOnce;
  private boolean turning;

  ToyLogScenario(Set<ToyLog.Bug> bugs) {
    this.bugs = bugs;
  }

  @Override
  public void work(Machine machine) {
    try (ToyLog log = new ToyLog(machine.storage(), bugs)) {
      openedOnce = true;
      append(log, 1, 2, 3);
      turning = true;
      log.newLap();
      turning = false;
      lap = 2;
      acknowledged.clear();
      attempted.clear();
      append(log, 4, 5);
    }
  }

  private void append(ToyLog log, long... keys) {
    for (long key : keys) {
      attempted.add(key);
      log.append(key);
      acknowledged.add(key);
    }
  }

  @Override
  public void check(Machine machine) {
    if (openedOnce) {
      assertThat(machine.storage().exists("log/data")).as("log exists").isTrue();
    }
    List<Long> found;
    try (ToyLog log = new ToyLog(machine.storage(), bugs)) {
      found = withoutLater(log.keys());
      if (turning && log.lap() == 2) {
        assertThat(found).as("records of the new lap").isEmpty();
      } else {
        assertThat(log.lap()).isEqualTo(lap);
        assertThat(attempted.subList(0, Math.min(found.size(), attempted.size())))
            .as("records")
            .isEqualTo(found);
        assertThat(found.subList(0, Math.min(found.size(), acknowledged.size())))
            .as("acknowledged records")
            .isEqualTo(acknowledged);
      }
      // The log takes new work, and keeps it.
      log.append(LATER);
    }
    try (ToyLog log = new ToyLog(machine.storage(), bugs)) {
      assertThat(log.keys()).endsWith(LATER);
    }
  }

  private static List<Long> withoutLater(List<Long> keys) {
    return keys.stream().filter(k -> k != LATER).toList();
  }
}
