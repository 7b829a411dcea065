package io.howdah.jmh.published;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.CheckpointReport;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.DirtyLines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class CheckpointSchemeTest {

  private static final long BYTES = 64 << 20;

  @TempDir Path folder;

  /** Where the product writes whole pages, or single lines, the models count the same bytes. */
  @Test
  void theModelsCountWhatTheProductWritesWhereItChoosesAlike() {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(DirtyLines.maxSize(BYTES))
            .withRecoveryGoal(Duration.ofHours(1));
    try (Store store = Store.open(folder.resolve("store"), options)) {
      DirtyLines lines = DirtyLines.create(store, BYTES);
      store.admin().checkpoint();
      BitSet dense = lines.dense(0, 500);
      CheckpointReport whole = store.admin().checkpoint();
      assertThat(whole.wholePages()).isEqualTo(500);
      assertThat(CheckpointScheme.PAGES.writtenBytes(dense, 0)).isEqualTo(whole.writtenBytes());
      BitSet single = lines.perPage(1000, 3000, 1);
      CheckpointReport sparse = store.admin().checkpoint();
      assertThat(sparse.lines()).isEqualTo(3000);
      assertThat(CheckpointScheme.LINES.writtenBytes(single, 0)).isEqualTo(sparse.writtenBytes());
    }
  }

  @Test
  void thePapersWritesEveryPageThatWasUsed() {
    BitSet one = new BitSet();
    one.set(7);
    assertThat(CheckpointScheme.ALL_USED.writtenBytes(one, 1))
        .isEqualTo(CheckpointScheme.PAGES.writtenBytes(one, 1));
    assertThat(CheckpointScheme.ALL_USED.writtenBytes(one, 1000))
        .isGreaterThan(2 * 1000 * 4096L + CheckpointScheme.LINES.writtenBytes(one, 1000));
  }
}
