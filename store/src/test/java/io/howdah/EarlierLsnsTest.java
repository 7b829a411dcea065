package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.report.LogCounts;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import io.howdah.store.open.OpenedStore;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.words.OrecTable;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** LSNs do not outlive an opening: what the opening knows to be lost is not called stable. */
@Timeout(60)
final class EarlierLsnsTest {

  private static final long CUT = 10;
  private static final long SEEN = 20;
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(2).withOrecs(1 << 10);

  private static Store opened(RecoveryOutcome outcome) {
    Region region = Regions.anonymous(OPTIONS.maxSize());
    Region orecs = Regions.anonymous(OrecTable.lengthBytes(OPTIONS.orecs()));
    Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(2));
    Lifecycle lifecycle = new Lifecycle();
    RecoveryReport report =
        new RecoveryReport(
            outcome,
            new RingTrust.Untrusted("a power cut"),
            new MemoryOrigin.Unshared(""),
            2,
            SEEN,
            new LogCounts(0, 0, 0, 0, 0),
            0,
            0,
            0,
            0,
            false,
            new RecoveryReport.Durations(0, 0, 0, 0, 0, 0));
    return new Store(
        new OpenedStore(
            region,
            new OrecTable(orecs, OPTIONS.orecs()),
            CommitLanes.unlogged(words, 2, SEEN, Execution.system(), lifecycle::failIfStopped),
            lifecycle,
            OPTIONS.dimensions(),
            null,
            null,
            null,
            null,
            report,
            null,
            true,
            _ -> {
              region.close();
              orecs.close();
              words.close();
            }),
        OPTIONS);
  }

  @Test
  void thoseThatACrashMayHaveTakenAreRefused() {
    try (Store store = opened(new RecoveryOutcome.AfterPowerCut(CUT, 1, 3, 0))) {
      assertThat(store.durability().isStable(CUT)).isTrue();
      for (long lsn = CUT + 1; lsn < SEEN; lsn++) {
        long lost = lsn;
        assertThatThrownBy(() -> store.durability().isStable(lost))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("LSN " + lost + " was assigned before this opening");
        assertThatThrownBy(() -> store.durability().awaitStable(lost, Duration.ZERO))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.durability().whenStable(lost))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThat(store.durability().isStable(store.admin().stats().lsn())).isTrue();
      long own = store.run(tx -> tx.putLong(8192, 1));
      assertThat(own).isGreaterThan(SEEN);
      assertThat(store.durability().isStable(own)).isTrue();
    }
  }

  @Test
  void afterAKillAllOfThemAreStable() {
    try (Store store = opened(new RecoveryOutcome.AfterKill(SEEN, 0))) {
      for (long lsn = 1; lsn <= SEEN; lsn++) {
        assertThat(store.durability().isStable(lsn)).isTrue();
      }
    }
  }
}
