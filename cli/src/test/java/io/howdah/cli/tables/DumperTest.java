package io.howdah.cli.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.TxOptions;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A dump beside transactions of other threads, as the shell's store has them. */
final class DumperTest {

  private static final int ROWS = 20;

  /** A commit after each row, if one gets in, changes what the dump has read. */
  private static final class Disturbing extends StringWriter {

    private final Store store;
    private final PersistentMap<String, String> map;
    private int writes;

    Disturbing(Store store, PersistentMap<String, String> map) {
      this.store = store;
      this.map = map;
    }

    @Override
    public void write(String text) {
      super.write(text);
      Thread other = Thread.ofPlatform().start(this::disturb);
      try {
        other.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private void disturb() {
      if (++writes > ROWS) {
        return;
      }
      try {
        store.run(
            TxOptions.async().withTimeLimit(Duration.ofMillis(1)),
            tx -> map.put(tx, "key " + writes % ROWS, "new"));
      } catch (TransactionTimeoutException _) {
        // It has to wait until the dump is done.
      }
    }
  }

  @ParameterizedTest
  @EnumSource(RowFormat.class)
  void everyRowIsWrittenOnceWhateverOthersCommit(RowFormat format) {
    try (Store store = Store.inMemory()) {
      PersistentMap<String, String> map = store.map("m", Codec.utf8(), Codec.utf8());
      store.run(
          tx -> {
            for (int i = 0; i < ROWS; i++) {
              map.put(tx, "key " + i, "old");
            }
          });
      Disturbing out = new Disturbing(store, map);
      Dumper<String, String> dumper =
          new Dumper<>(
              store, "m", map::iterator, ScalarType.UTF8, ScalarType.UTF8, MapShape.UNKNOWN);
      assertThat(dumper.dump(out, format, _ -> {})).isEqualTo(ROWS);
      List<String> lines = out.toString().lines().toList();
      assertThat(lines)
          .hasSize(format == RowFormat.JSONL ? ROWS : ROWS + 1)
          .doesNotHaveDuplicates();
      assertThat(out.toString()).doesNotContain("new");
    }
  }
}
