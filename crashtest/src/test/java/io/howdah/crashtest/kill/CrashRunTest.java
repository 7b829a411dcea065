package io.howdah.crashtest.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Backing;
import io.howdah.process.EarlyEnd;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, really killed. */
final class CrashRunTest {

  private static final long SEED = 20;
  private static final int THREADS = 4;

  /** So few that the child is soon at work. */
  private static final int CITIES = 10_000;

  /** Kills of a sound store. */
  private static final int KILLS = Math.min(3, Integer.getInteger("howdah.lives", 2));

  @TempDir private Path folder;

  /** A store that does not open leaves its rings in memory; nobody else would remove them. */
  @AfterEach
  void removeRings() throws IOException {
    Sabotage.RINGS.strike(folder.resolve("store"));
  }

  /** Asks a run to end early, while a child works that is not the first one. */
  private static final class Impatient extends Silent {
    private final EarlyEnd early;
    int askedIn;

    Impatient(EarlyEnd early) {
      this.early = early;
    }

    @Override
    public void running(int round, String plan, long acknowledged) {
      if (round >= 2 && acknowledged > 0) { // a slow machine kills the second one before that
        askedIn = round;
        early.ask();
      }
    }
  }

  private static class Silent implements CrashRun.Progress {
    @Override
    public void loading(int loaded, int of) {}

    @Override
    public void loaded(int cities, long people, long nanos) {}

    @Override
    public void running(int round, String plan, long acknowledged) {}

    @Override
    public void judged(Round round) {}
  }

  @Tag("scaled")
  @Test
  void nothingAcknowledgedIsLost() throws Exception {
    // Begins with the plan of all modes.
    CrashRun.Report report = run(KILLS, RoundPlan.names().reversed(), Sabotage.NONE);
    assertThat(report.violations()).isEmpty();
    assertThat(report.rounds()).hasSize(KILLS);
    assertThat(report.acknowledged()).isPositive();
    assertThat(report.recovered())
        .isBetween(report.acknowledged(), report.acknowledged() + (long) KILLS * THREADS);
  }

  @Tag("scaled")
  @Test
  void nothingIsLostInMemoryThatOutlivesTheProcess() throws Exception {
    backing = Backing.SHARED;
    try (EarlyEnd early = new EarlyEnd()) {
      CrashRun run =
          new CrashRun(
              options(KILLS, RoundPlan.names().reversed(), Sabotage.NONE), new Silent(), early);
      assertThat(run.run().violations()).isEmpty();
      assertThat(run.attached()).isPositive();
    }
  }

  @Test
  void theLossOfTheRingsIsNoticed() throws Exception {
    CrashRun.Report report = run(10, List.of("async"), Sabotage.RINGS);
    assertThat(report.violations()).anyMatch(v -> v.endsWith("were acknowledged and are lost"));
    assertThat(report.lost()).isPositive();
    assertThat(report.rounds().size()).as("a violation ends the run").isLessThanOrEqualTo(10);
  }

  @Tag("campaign")
  @Test
  void aDamagedLogIsNoticed() throws Exception {
    CrashRun.Report report = run(3, List.of("mixed"), Sabotage.LOG);
    assertThat(report.violations()).isNotEmpty();
  }

  @Tag("campaign")
  @Test
  void aRunThatIsToEndJudgesWhatHasRun() throws Exception {
    try (EarlyEnd early = new EarlyEnd()) {
      Impatient impatient = new Impatient(early);
      CrashRun.Report report =
          new CrashRun(options(50, List.of("sync"), Sabotage.NONE), impatient, early).run();
      assertThat(report.violations()).isEmpty();
      assertThat(report.interrupted()).isTrue();
      assertThat(report.rounds())
          .as("the life of the child that worked is judged, too")
          .hasSize(impatient.askedIn);
      assertThat(report.rounds().getLast().verdict().acknowledged()).isPositive();
    }
  }

  @Test
  void aRunThatIsToEndWhenItBeginsJudgesNothing() throws Exception {
    try (EarlyEnd early = new EarlyEnd()) {
      early.ask();
      CrashRun.Report report =
          new CrashRun(options(50, List.of("sync"), Sabotage.NONE), new Silent(), early).run();
      assertThat(report.violations()).isEmpty();
      assertThat(report.interrupted()).isTrue();
      assertThat(report.rounds()).isEmpty();
    }
  }

  private CrashRun.Report run(int kills, List<String> plans, Sabotage sabotage)
      throws IOException, InterruptedException {
    try (EarlyEnd early = new EarlyEnd()) {
      CrashRun.Report report =
          new CrashRun(options(kills, plans, sabotage), new Silent(), early).run();
      assertThat(report.interrupted()).isFalse();
      return report;
    }
  }

  private Backing backing = Backing.MAPPED;

  private CrashRunOptions options(int kills, List<String> plans, Sabotage sabotage) {
    return new CrashRunOptions(
        folder.resolve("store"),
        CITIES,
        SEED,
        THREADS,
        kills,
        Duration.ofMillis(300L * kills),
        plans,
        sabotage,
        Death.KILL,
        backing);
  }
}
