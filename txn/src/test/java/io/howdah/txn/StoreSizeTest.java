package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.storage.FileStorage;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A size that the machine cannot map must not become the store's. */
final class StoreSizeTest {

  private static final long SMALL = 1 << 20;
  private static final long LARGE = 1 << 30;
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().partitions(2).orecs(1 << 12).ringBytes(1 << 16);

  @TempDir Path directory;

  /** Refuses memory like a machine that has less than {@link #LARGE}. */
  private Storage smallMachine() {
    FileStorage storage = FileStorage.open(directory);
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              if ((method.getName().equals("allocate") && (long) arguments[0] >= LARGE)
                  || (method.getName().equals("mapPrivate") && (long) arguments[1] >= LARGE)) {
                throw new StorageException(StorageException.Reason.NO_MEMORY, "map", null);
              }
              try {
                return method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aStoreThatCannotGrowSoFarStaysAsItWas() {
    try (Store store = Store.open(OPTIONS.maxSize(SMALL).storage(smallMachine()))) {
      store.run(tx -> tx.root(0, tx.allocate(8)));
    }
    assertThatThrownBy(() -> Store.open(OPTIONS.maxSize(LARGE).storage(smallMachine())))
        .isInstanceOf(StorageException.class);
    try (Store store = Store.open(OPTIONS.storage(smallMachine()))) {
      assertThat((long) store.read(tx -> tx.root(0))).isNotZero();
      assertThat(store.options().maxSize()).isEqualTo(SMALL);
    }
  }

  @Test
  void aStoreThatCannotBeCreatedSoLargeCanBeCreatedSmaller() {
    assertThatThrownBy(() -> Store.open(OPTIONS.maxSize(LARGE).storage(smallMachine())))
        .isInstanceOf(StorageException.class);
    Store.open(OPTIONS.maxSize(SMALL).storage(smallMachine())).close();
  }
}
