package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreFiguresTest {

  @TempDir Path folder;

  @Test
  void figuresAreThoseOfTheStore() {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(1)
            .withRingBytes(1 << 16)
            .withGroupCommitInterval(Duration.ofSeconds(10));
    try (Store store = Store.open(folder, options)) {
      store.run(TxOptions.sync(), tx -> tx.putLong(8192, 1));
      store.admin().checkpoint();
      for (int i = 0; i < 100; i++) {
        store.run(TxOptions.sync(), tx -> tx.putLong(8192, 2));
      }
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        throw new IllegalArgumentException();
                      }))
          .isInstanceOf(IllegalArgumentException.class);
      StoreAdmin admin = store.admin();
      StoreFigures figures = new StoreFigures(admin);
      assertThat(figures.getCommits()).isPositive().isEqualTo(admin.stats().commits());
      assertThat(figures.getAborts()).isPositive().isEqualTo(admin.stats().totalAborts());
      assertThat(figures.getLsn()).isPositive().isEqualTo(admin.stats().lsn());
      assertThat(figures.getStableLsn()).isPositive().isEqualTo(admin.stats().stableLsn());
      assertThat(figures.getForces()).isPositive().isEqualTo(admin.stats().forces());
      CheckpointStats checkpoints = admin.checkpointStats();
      assertThat(figures.getCheckpoints()).isPositive().isEqualTo(checkpoints.taken());
      assertThat(figures.getReplayBytes()).isPositive().isEqualTo(checkpoints.replayBytes());
      assertThat(figures.getLogBytes()).isPositive().isEqualTo(checkpoints.logBytes());
      assertThat(figures.getExpectedRecoveryMillis())
          .isEqualTo(checkpoints.expectedRecovery().toMillis());
      assertThat(figures.isCheckpointRunning()).isFalse();
      assertThat(figures.isCommitsHeld()).isFalse();
      assertThat(figures.isStalled()).isFalse();
      assertThat(figures.getStalledSinceMillis()).isZero();
      assertThat(figures.getStallReason()).isEmpty();
      assertThat(figures.getStallPartition()).isEqualTo(-1);
      assertThat(figures.getReplayWordsLeft()).isZero();
      assertThat(figures.isReplayDone()).isTrue();
    }
  }
}
