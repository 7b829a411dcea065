package io.howdah.replica.command.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Groups of three processes, whose members are killed, cut off and stopped. Most of the time is
 * that of elections and of starts.
 */
@Timeout(180)
class DemoRunTest {

  /** So that a group that does not come together is told of, before the time of a test is over. */
  private static final long PATIENCE_NANOS = 40_000_000_000L;

  @TempDir private Path directory;

  @Test
  void nothingAcknowledgedIsLostAndNoReadIsOld() throws Exception {
    judge(run(1, 2, List.of(Fault.CUT_OFF, Fault.DEAF)), 2);
  }

  /** Two groups at the same time: together 10 kills, 4 partitions and 2 pauses. */
  @Test
  @Tag("campaign")
  @Timeout(600)
  void nothingIsLostInTwoGroupsWithMoreFaults() throws Exception {
    List<Callable<DemoRun.Figures>> runs = new ArrayList<>();
    runs.add(() -> run(1, 5, List.of(Fault.CUT_OFF, Fault.FOLLOWER_MUTE)));
    runs.add(() -> run(2, 5, List.of(Fault.MUTE, Fault.DEAF)));
    try (ExecutorService executor = Executors.newFixedThreadPool(runs.size())) {
      for (Future<DemoRun.Figures> each : executor.invokeAll(runs)) {
        judge(each.get(), 5);
      }
    }
  }

  private static void judge(DemoRun.Figures figures, int kills) {
    assertThat(figures.ledger().complaints()).isEmpty();
    assertThat(figures.regions()).contains(": equal (a ");
    assertThat(figures.count(Fault.KILL)).isEqualTo(kills);
    assertThat(figures.partitions()).isEqualTo(2);
    assertThat(figures.count(Fault.PAUSE)).isEqualTo(1);
    assertThat(figures.failOverNanos(Fault.KILL))
        .as("each kill made another member lead")
        .hasSize(kills);
    assertThat(figures.ledger().acknowledged()).isGreaterThan(kills * 20L);
    assertThat(figures.ledger().newestReads()).isPositive();
    assertThat(figures.ledger().localReads()).isPositive();
  }

  private DemoRun.Figures run(long seed, int kills, List<Fault> partitions) throws Exception {
    List<Fault> plan = new ArrayList<>(Fault.plan(kills, 0, 1, seed));
    plan.addAll(1, partitions);
    Path own = Files.createDirectory(directory.resolve("group-" + seed));
    return new DemoRun(own, plan, 0, seed, PATIENCE_NANOS).run(_ -> {}, _ -> {});
  }
}
