package io.howdah.crashtest.workload;

import io.howdah.Store;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.Machine;
import java.util.SortedMap;
import java.util.TreeMap;

/** The backups that a workload makes, each in a directory beside the files of the store. */
final class Copies {

  private static final String PREFIX = "backup-";

  private Copies() {}

  /** Returns the directory of the backup that a step makes. */
  static String directory(long step) {
    return PREFIX + step;
  }

  /** Creates the directory of a backup, durably, as a directory of the file system would be. */
  static Storage create(Machine machine, long step) {
    Storage store = machine.storage();
    store.createDirectory(directory(step));
    store.forceDirectory("");
    return machine.disk().storage(directory(step));
  }

  /**
   * Opens all backups there are, as stores.
   *
   * @return what each holds, by its step; without those that are empty, or refused as unfinished
   */
  static SortedMap<Long, Content> open(Machine machine) {
    SortedMap<Long, Content> found = new TreeMap<>();
    for (String name : machine.storage().list("")) {
      Storage copy = machine.disk().storage(name);
      if (!name.startsWith(PREFIX) || copy.list("").isEmpty()) {
        continue;
      }
      try (Store store = Store.open(SmallWorkload.options(machine).withStorage(copy))) {
        found.put(Long.parseLong(name.substring(PREFIX.length())), new Session(store).content());
      } catch (UnsupportedStoreException e) {
        if (!String.valueOf(e.getMessage()).contains("holds an unfinished copy")) {
          throw e;
        }
      }
    }
    return found;
  }
}
