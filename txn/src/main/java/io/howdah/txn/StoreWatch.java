package io.howdah.txn;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageLock;

/**
 * What an open store looks at about once a second, beside its rings: whether it is still the only
 * one in its directory, and the directory still there. It throws if the store has to stop.
 */
final class StoreWatch implements Runnable {

  private final Storage storage;
  private final StorageLock lock;

  StoreWatch(Storage storage, StorageLock lock) {
    this.storage = storage;
    this.lock = lock;
  }

  @Override
  public void run() {
    String reason = lock.keep();
    if (reason != null) {
      throw new IllegalStateException("store " + storage.describe() + ": " + reason);
    }
  }
}
