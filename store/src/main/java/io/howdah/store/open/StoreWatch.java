package io.howdah.store.open;

import io.howdah.core.Execution;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.file.MachineMemory;

/**
 * What an open store looks at about once a second, beside its rings: whether it is still the only
 * one in its directory, and the directory still there: it throws if the store has to stop. And
 * whether memory runs low, of which it warns.
 */
final class StoreWatch implements Runnable {

  private final Storage storage;
  private final StorageLock lock;
  private final MemoryWatch memory;

  StoreWatch(Storage storage, StorageLock lock, Execution execution) {
    this.storage = storage;
    this.lock = lock;
    this.memory =
        new MemoryWatch(
            storage.describe(),
            MachineMemory.Figure.HELD,
            MachineMemory.usableBytes(),
            new ProgramLog("io.howdah.txn", execution));
  }

  @Override
  public void run() {
    memory.look();
    String reason = lock.keep();
    if (reason != null) {
      throw new IllegalStateException("store " + storage.describe() + ": " + reason);
    }
  }
}
