package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.HowdahException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.superblock.UnfinishedStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backup looks whether its directory is empty, and takes its checkpoint. Meanwhile somebody else
 * begins to use the directory. Then the backup fails, and what the other one has written stays.
 */
class TwoCopiesTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(1);

  @TempDir Path folder;

  private Path target;
  private Store store;

  @BeforeEach
  void openAStore() {
    target = folder.resolve("target");
    store = Store.open(folder.resolve("store"), OPTIONS);
  }

  @AfterEach
  void closeIt() {
    store.close();
  }

  /** Something that happens in the directory between the look and the first file of the copy. */
  private interface Meanwhile {
    void run() throws Exception;
  }

  private static Storage storage(Path directory, Meanwhile meanwhile) {
    Storage storage = FileStorage.open(directory);
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              if (method.getName().equals("create")
                  && arguments[0].equals(UnfinishedStore.COPY.fileName())) {
                meanwhile.run();
              }
              try {
                return method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void requireBackupRefused(Meanwhile meanwhile) {
    assertThatThrownBy(() -> store.admin().backup(() -> storage(target, meanwhile)))
        .isInstanceOf(HowdahException.class);
  }

  @Test
  void aBackupThatAnotherOneHasFinishedStays() {
    try (Store other = Store.open(folder.resolve("other"), OPTIONS)) {
      other.run(tx -> tx.root(1, tx.allocate(64)));
      requireBackupRefused(() -> other.admin().backup(target));
    }
    StoreBackups.check(target);
    try (Store copy = Store.open(target, OPTIONS)) {
      assertThat(copy.<Long, RuntimeException>call(tx -> tx.root(1)).longValue()).isPositive();
    }
  }

  @Test
  void aStoreThatIsOpenedThereMeanwhileKeepsItsFiles() {
    Store[] opened = new Store[1];
    requireBackupRefused(() -> opened[0] = Store.open(target, OPTIONS));
    opened[0].run(tx -> tx.root(1, tx.allocate(64)));
    opened[0].close();
    try (Store again = Store.open(target, OPTIONS)) {
      assertThat(again.<Long, RuntimeException>call(tx -> tx.root(1)).longValue()).isPositive();
    }
  }

  @Test
  void aCopyThatSomebodyElseHasBegunStays() throws Exception {
    requireBackupRefused(
        () -> {
          Files.writeString(target.resolve(UnfinishedStore.COPY.fileName()), "backup of another\n");
          Files.writeString(target.resolve("image"), "another's");
        });
    assertThat(target.resolve("image")).hasContent("another's");
    assertThat(target.resolve(UnfinishedStore.COPY.fileName())).hasContent("backup of another");
  }

  @Test
  void aFileOfSomebodyElseStaysAloneAndTheMarkGoes() throws Exception {
    requireBackupRefused(() -> Files.writeString(target.resolve("notes"), "mine"));
    assertThat(target).isDirectoryContaining("glob:**/notes");
    assertThat(target.resolve(UnfinishedStore.COPY.fileName())).doesNotExist();
  }
}
