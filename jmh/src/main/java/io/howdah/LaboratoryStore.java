package io.howdah;

import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.store.open.OpenedStore;
import io.howdah.store.open.OpeningListener;
import io.howdah.store.open.StoreOpening;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * Stores for measurements that no program should have, made of the parts that the product's own
 * opening makes. This class lies in the package of {@link Store} for its constructor, and in the
 * laboratory so that the product has no switch for it.
 */
public final class LaboratoryStore {

  private LaboratoryStore() {}

  /**
   * Opens a store that closes as a kill would leave it: no checkpoint is taken, so the next opening
   * finds the same log.
   */
  public static Store keepingItsLog(Path directory, StoreOptions options) {
    return open(directory, options, LaboratoryStore::withoutFinalCheckpoint);
  }

  /**
   * Opens a store whose commits do not mark the pages that they change, for measuring what the mark
   * costs. It takes no checkpoint, and closes as a kill would leave it.
   */
  public static Store withoutMarks(Path directory, StoreOptions options) {
    return open(directory, options, opened -> withoutFinalCheckpoint(unmarked(opened)));
  }

  private static Store open(
      Path directory, StoreOptions options, UnaryOperator<OpenedStore> change) {
    // Nothing but a caller asks for a checkpoint.
    StoreOptions keeping = options.withRecoveryGoal(Duration.ofHours(1)).withMaxLogBytes(1L << 50);
    return new StoreOpening(
            FileStorage.open(directory, FileStorageOptions.DEFAULT),
            keeping.opening(),
            OpeningListener.NONE)
        .open(opened -> new Store(change.apply(opened), keeping));
  }

  private static OpenedStore unmarked(OpenedStore opened) {
    return new OpenedStore(
        opened.region(),
        opened.orecs(),
        opened.lanes(),
        opened.lifecycle(),
        opened.dimensions(),
        opened.log(),
        null,
        null,
        null,
        opened.recovery(),
        opened.replay(),
        opened.mayBeNew(),
        opened.onClose());
  }

  private static OpenedStore withoutFinalCheckpoint(OpenedStore opened) {
    return new OpenedStore(
        opened.region(),
        opened.orecs(),
        opened.lanes(),
        opened.lifecycle(),
        opened.dimensions(),
        opened.log(),
        opened.dirtyPages(),
        opened.checkpoints(),
        opened.archiving(),
        opened.recovery(),
        opened.replay(),
        opened.mayBeNew(),
        _ -> opened.onClose().close(false));
  }
}
