package io.howdah.springboot;

import io.howdah.ArchiveStatus;
import io.howdah.CheckpointStats;
import io.howdah.ReplayStats;
import io.howdah.Store;
import io.howdah.StoreAdmin;
import io.howdah.StoreFigure;
import io.howdah.StoreStats;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of a store: down if it has stopped, with the reason, or if nothing becomes durable for
 * five seconds although commits wait; out of service once it is closed. Reads counters in memory:
 * it forces nothing, waits for nothing, and answers while the store stops.
 */
final class StoreHealthIndicator extends AbstractHealthIndicator {

  private final Store store;

  /** Whether the store takes checkpoints: one in memory, or open for reading only, does not. */
  private final boolean hasCheckpoints;

  StoreHealthIndicator(Store store) {
    super("the health of a store could not be read");
    this.store = store;
    this.hasCheckpoints =
        StoreFigure.of(store.admin()).stream()
            .anyMatch(figure -> figure.name().equals("checkpoints"));
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    StoreAdmin admin = store.admin();
    try {
      StoreStats stats = admin.stats();
      health.up();
      durability(health, stats);
      ReplayStats replay = admin.replayStats();
      health.withDetail("replayDone", replay.isDone());
      if (hasCheckpoints) {
        admin.archive().ifPresent(archive -> archive(health, archive, stats));
        checkpoints(health, admin.checkpointStats());
      }
    } catch (StoreFailedException e) {
      health.down().withDetail("stopped", String.valueOf(e.getMessage()));
    } catch (StoreClosedException | IllegalStateException e) {
      // The latter where a close gives back memory between two of the readings.
      health.outOfService().withDetail("closed", true);
    }
  }

  private static void durability(Health.Builder health, StoreStats stats) {
    health
        .withDetail("lsn", stats.lsn())
        .withDetail("stableLsn", stats.stableLsn())
        .withDetail("unstableCommits", Math.max(0, stats.lsn() - stats.stableLsn()))
        .withDetail("oldestUnstableMillis", stats.oldestUnstable().toMillis());
    stats
        .stall()
        .ifPresent(
            stall ->
                health
                    .down()
                    .withDetail("stalledSince", stall.since())
                    .withDetail("stalled", stall.describe()));
  }

  private static void archive(Health.Builder health, ArchiveStatus archive, StoreStats stats) {
    health.withDetail("archiveLag", Math.max(0, stats.stableLsn() - archive.lsn()));
    archive.problem().ifPresent(problem -> health.withDetail("archiveProblem", problem));
  }

  private static void checkpoints(Health.Builder health, CheckpointStats checkpoints) {
    health
        .withDetail("expectedRecoveryMillis", checkpoints.expectedRecovery().toMillis())
        .withDetail("commitsBlocked", checkpoints.commitsBlocked());
    checkpoints.problem().ifPresent(problem -> health.withDetail("checkpointProblem", problem));
  }
}
