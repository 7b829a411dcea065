package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.testkit.disk.SimulatedDisk;
import org.junit.jupiter.api.Test;

/** A page of the image is damaged while the store is closed, and written to by its next life. */
final class DamageWhileClosedTest {

  private static final int PAGE_BYTES = 4096;
  private static final int PAGES = 24;
  private static final int DAMAGED = 12;

  private final SimulatedDisk disk = SimulatedDisk.seeded(1);
  private long array;

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10);
  }

  /** Makes a store of pages of 7 and damages one in the middle, which no opening looks at. */
  private void damage() {
    try (Store store = Store.open(options())) {
      array = store.call(tx -> tx.allocate(PAGES * PAGE_BYTES));
      store.run(
          tx -> {
            tx.root(0, array);
            for (long at = 0; at < PAGES * PAGE_BYTES; at += 8) {
              tx.putLong(array + at, 7);
            }
          });
    }
    disk.flipBit("image", array + DAMAGED * PAGE_BYTES, 0);
  }

  private static void requireNamed(Throwable failure, long address) {
    long page = address / PAGE_BYTES;
    Throwable found = failure instanceof StoreFailedException ? failure.getCause() : failure;
    assertThat(found)
        .isInstanceOfSatisfying(
            CorruptStoreException.class,
            e -> {
              assertThat(e.file()).isEqualTo("image");
              assertThat(e.offset()).isEqualTo(page * PAGE_BYTES);
            })
        .hasMessageFindingMatch("page (is damaged: )?" + page)
        .hasMessageContaining("backup");
  }

  @Test
  void theNextCheckpointOfThePageStopsTheStore() {
    damage();
    long word = array + DAMAGED * PAGE_BYTES + 64; // of the same page as the damaged one
    Store store = Store.open(options());
    store.run(tx -> tx.putLong(word, 8));
    requireNamed(catchThrowableOfType(StoreFailedException.class, store.admin()::checkpoint), word);
    assertThatThrownBy(() -> store.run(tx -> tx.putLong(word, 9)))
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("image");
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    requireNamed(catchThrowableOfType(CorruptStoreException.class, this::verify), word);
  }

  @Test
  void closingTheStoreTellsItAndKeepsWhatWasCommitted() {
    damage();
    long word = array + DAMAGED * PAGE_BYTES + 64;
    Store store = Store.open(options());
    store.run(tx -> tx.putLong(word, 8));
    requireNamed(catchThrowableOfType(CorruptStoreException.class, store::close), word);
    requireNamed(catchThrowableOfType(CorruptStoreException.class, this::verify), word);
    Store again = Store.open(options());
    assertThat(again.<Long, RuntimeException>read(tx -> tx.getLong(word))).isEqualTo(8);
    assertThatThrownBy(again::close).isInstanceOf(CorruptStoreException.class);
  }

  @Test
  void pagesThatAreNotDamagedAreCheckpointedAsEver() {
    damage();
    try (Store store = Store.open(options())) {
      store.run(tx -> tx.putLong(array, 8));
      assertThat(store.admin().checkpoint().dirtyPages()).isPositive();
    }
    requireNamed(
        catchThrowableOfType(CorruptStoreException.class, this::verify),
        array + DAMAGED * PAGE_BYTES);
  }

  private void verify() {
    StoreBackups.check(disk.storage(), options().execution());
  }
}
