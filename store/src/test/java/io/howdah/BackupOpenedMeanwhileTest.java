package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A backup has no lock's file, so a process may open it for writing while another one reads it. The
 * reader must say so, and neither call the backup damaged nor take what it has read.
 */
final class BackupOpenedMeanwhileTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(2).withRingBytes(1 << 16);

  @TempDir Path directory;
  private Path backup;
  private Path target;

  @BeforeEach
  void makeBackup() {
    backup = directory.resolve("backup");
    target = directory.resolve("target");
    try (Store store = Store.open(directory.resolve("store"), OPTIONS)) {
      store.run(tx -> tx.root(0, tx.allocate(8)));
      store.run(tx -> tx.putLong(tx.root(0), 1));
      store.admin().backup(backup);
    }
  }

  /** Returns the backup, which somebody opens, changes and closes when a file of it is read. */
  private Storage read(String file) {
    Storage storage =
        FileStorage.open(backup, FileStorageOptions.DEFAULT.withCreate(false).withReadOnly(true));
    AtomicBoolean met = new AtomicBoolean();
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              if (method.getName().equals("open")
                  && arguments[0].equals(file)
                  && met.compareAndSet(false, true)) {
                try (Store store = Store.open(backup, OPTIONS)) {
                  store.run(tx -> tx.putLong(tx.root(0), 2));
                }
              }
              try {
                return method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"image", "image.sums"})
  void aCheckSaysThatTheBackupWasOpened(String file) {
    try (Storage storage = read(file)) {
      assertThatThrownBy(() -> StoreBackups.checkLocked(storage, Execution.system()))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("was opened by another process");
    }
    try (Storage storage = read("nothing")) { // the lock's file is there now
      assertThat(StoreBackups.checkLocked(storage, Execution.system()).closed()).isTrue();
    }
  }

  @Test
  void aRestoreSaysThatTheBackupWasOpenedAndLeavesNothing() throws Exception {
    try (Storage storage = read("image")) {
      assertThatThrownBy(
              () ->
                  StoreBackups.restoreLocked(
                      storage,
                      () -> FileStorage.open(target),
                      OptionalLong.empty(),
                      Execution.system()))
          .isInstanceOf(StoreLockedException.class);
    }
    if (Files.exists(target)) {
      try (Stream<Path> files = Files.list(target)) {
        assertThat(files).isEmpty();
      }
    }
  }
}
