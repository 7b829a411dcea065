package io.howdah.core.storage.file;

import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StoreLockedException;
import java.nio.file.Path;

/**
 * Tries to lock a directory, says how it went in one line, and keeps what it has until its standard
 * input ends. Arguments: the directory, and "read-only" or nothing.
 */
final class LockHolder {

  private LockHolder() {}

  public static void main(String[] arguments) throws Exception {
    boolean readOnly = arguments.length > 1;
    try (FileStorage storage =
        FileStorage.open(
            Path.of(arguments[0]), FileStorageOptions.DEFAULT.withReadOnly(readOnly))) {
      StorageLock lock = storage.lock("the child");
      System.out.println("held " + lock.isHeld());
      while (System.in.read() >= 0) {}
    } catch (StoreLockedException e) {
      System.out.println("refused " + e.getMessage());
    }
  }
}
