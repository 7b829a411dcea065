package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Backing;
import io.howdah.core.RegionFullException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.file.FileStorage;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A size that the machine cannot map must not become the store's, and a store that was made for one
 * opens all the same.
 */
final class StoreSizeTest {

  private static final long SMALL = 1 << 20;
  private static final long LARGE = 256 << 20;
  private static final long BLOCK = 1 << 16;
  private static final long NEVER_WRITTEN = 2 << 20;
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withPartitions(2).withOrecs(1 << 12).withRingBytes(1 << 16);

  @TempDir Path directory;

  /** Refuses memory like a machine that has less than {@link #LARGE}. */
  private Storage smallMachine() {
    return machine(directory, LARGE);
  }

  /**
   * Refuses memory like a machine that has less than so many bytes: enough for what a recovery
   * needs beside the region, 16 MiB at a time.
   */
  private static Storage machine(Path directory, long memoryBytes) {
    FileStorage storage = FileStorage.open(directory);
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              if ((method.getName().equals("allocate") && (long) arguments[0] >= memoryBytes)
                  || (method.getName().equals("mapPrivate")
                      && (long) arguments[1] >= memoryBytes)) {
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
    try (Store store = Store.open(OPTIONS.withMaxSize(SMALL).withStorage(smallMachine()))) {
      store.run(tx -> tx.root(0, tx.allocate(8)));
    }
    assertThatThrownBy(() -> Store.open(OPTIONS.withMaxSize(LARGE).withStorage(smallMachine())))
        .isInstanceOf(StorageException.class);
    try (Store store = Store.open(OPTIONS.withStorage(smallMachine()))) {
      assertThat((long) store.read(tx -> tx.root(0))).isNotZero();
      assertThat(store.admin().options().maxSize()).isEqualTo(SMALL);
    }
  }

  @Test
  void aStoreThatCannotBeCreatedSoLargeCanBeCreatedSmaller() {
    assertThatThrownBy(() -> Store.open(OPTIONS.withMaxSize(LARGE).withStorage(smallMachine())))
        .isInstanceOf(StorageException.class);
    Store.open(OPTIONS.withMaxSize(SMALL).withStorage(smallMachine())).close();
  }

  /** Commits blocks, each with its number in it, and a list of them; returns the list's address. */
  private static void fill(Store store, int blocks) {
    store.run(
        tx -> {
          long list = tx.allocate((long) blocks * Long.BYTES);
          tx.root(0, list);
          for (int i = 0; i < blocks; i++) {
            long block = tx.allocate(BLOCK);
            tx.putLong(list + (long) i * Long.BYTES, block);
            tx.putLong(block, i);
          }
        });
  }

  private static void requireFilled(Store store, int blocks) {
    store.read(
        tx -> {
          long list = tx.root(0);
          for (int i = 0; i < blocks; i++) {
            long block = tx.getLong(list + (long) i * Long.BYTES);
            assertThat(tx.getLong(block)).isEqualTo(i);
            // Never written, and part of the store all the same.
            assertThat(tx.getLong(block + BLOCK - Long.BYTES)).isZero();
          }
          return 0L;
        });
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var entries = Files.walk(from)) {
      for (Path entry : entries.toList()) {
        Files.copy(entry, to.resolve(from.relativize(entry).toString()));
      }
    }
  }

  @Test
  void aStoreOfALargeMachineOpensOnASmallOne() throws Exception {
    Path large = directory.resolve("large");
    Path killed = directory.resolve("killed");
    Path halfway = directory.resolve("halfway");
    try (Store store = Store.open(large, OPTIONS.withMaxSize(LARGE))) {
      fill(store, 20);
      copy(large, killed); // as after a power cut: everything in the log
      store.admin().checkpoint();
      store.run(tx -> tx.root(1, tx.allocate(BLOCK)));
      copy(large, halfway);
    }
    for (Path each : List.of(large, killed, halfway)) {
      // Shared memory is in files, whose mapping this machine does not limit.
      for (Backing backing : List.of(Backing.MAPPED, Backing.RESIDENT)) {
        StoreOptions options = OPTIONS.withBacking(backing);
        try (Store store =
            Store.open(options.withReadOnly(true).withStorage(machine(each, 48 << 20)))) {
          requireFilled(store, 20);
        }
        try (Store store = Store.open(options.withStorage(machine(each, 48 << 20)))) {
          requireFilled(store, 20);
          assertThat(store.admin().stats().capacityBytes()).isBetween(25 * BLOCK, 48L << 20);
          assertThat(store.admin().options().maxSize()).as("the limit").isEqualTo(LARGE);
          assertThatThrownBy(
                  () -> {
                    while (true) {
                      store.run(tx -> tx.allocate(16 * BLOCK));
                    }
                  })
              .isInstanceOf(RegionFullException.class)
              .hasMessageContaining("could map only " + store.admin().stats().capacityBytes())
              .hasMessageContaining(Long.toString(LARGE));
        }
      }
      try (Store store = Store.open(each, OPTIONS)) {
        requireFilled(store, 20);
        assertThat(store.admin().stats().capacityBytes()).isEqualTo(LARGE);
      }
    }
  }

  @Test
  void whatIsUsedHasToFit() {
    try (Store store = Store.open(directory, OPTIONS.withMaxSize(LARGE))) {
      fill(store, 20);
    }
    assertThatThrownBy(() -> Store.open(OPTIONS.withStorage(machine(directory, 20 * BLOCK))))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.NO_MEMORY))
        .hasMessageContaining("bytes in use of " + directory);
  }

  @Test
  void aSmallerSizeIsTakenDownToWhatIsUsed() throws Exception {
    Path copied = directory.resolve("copied");
    Path store = directory.resolve("store");
    try (Store made = Store.open(store, OPTIONS.withMaxSize(LARGE))) {
      fill(made, 20);
      made.run(tx -> tx.root(3, tx.allocate(NEVER_WRITTEN)));
      copy(store, copied);
    }
    for (Path each : List.of(store, copied)) {
      try (Store smaller = Store.open(each, OPTIONS.withMaxSize(LARGE / 2))) {
        assertThat(smaller.admin().options().maxSize()).isEqualTo(LARGE / 2);
        assertThat(smaller.admin().stats().capacityBytes()).isEqualTo(LARGE / 2);
        requireFilled(smaller, 20);
      }
      long least;
      try (Store smallest = Store.open(each, OPTIONS.withMaxSize(StoreOptions.MIN_SIZE))) {
        least = smallest.admin().options().maxSize();
        long blocks = 20 * BLOCK + NEVER_WRITTEN;
        assertThat(least).isBetween(blocks, blocks + (4 << 20));
        requireFilled(smallest, 20);
        long last = NEVER_WRITTEN - Long.BYTES;
        assertThat((long) smallest.read(tx -> tx.getLong(tx.root(3) + last))).isZero();
      }
      assertThat(StoreBackups.check(each).closed()).isTrue();
      try (Store again = Store.open(each, OPTIONS)) {
        assertThat(again.admin().options().maxSize()).isEqualTo(least);
        requireFilled(again, 20);
      }
      try (Store larger = Store.open(each, OPTIONS.withMaxSize(LARGE))) {
        requireFilled(larger, 20);
        larger.run(tx -> tx.root(2, tx.allocate(8 << 20)));
      }
      assertThat(StoreBackups.check(each).closed()).isTrue();
      try (Store again = Store.open(each, OPTIONS)) {
        requireFilled(again, 20);
        assertThat(again.admin().options().maxSize()).isEqualTo(LARGE);
      }
    }
  }

  @Test
  void aStoreOfALargeMachineIsRestoredOnASmallOne() {
    try (Store store = Store.open(directory.resolve("store"), OPTIONS.withMaxSize(LARGE))) {
      fill(store, 20);
      store.admin().backup(directory.resolve("backup"));
    }
    Path target = directory.resolve("target");
    try (Storage backup = FileStorage.open(directory.resolve("backup"));
        Storage small = machine(target, 48 << 20)) {
      StoreBackups.restore(backup, small, OptionalLong.empty(), OPTIONS.execution());
    }
    try (Store store = Store.open(OPTIONS.withStorage(machine(target, 48 << 20)))) {
      requireFilled(store, 20);
    }
  }

  @Test
  void aDefaultSizeThatCannotBeMappedIsNoReasonToCreateNothing() {
    try (Store store = Store.open(OPTIONS.withStorage(machine(directory, 48 << 20)))) {
      fill(store, 10);
      assertThat(store.admin().stats().capacityBytes()).isLessThan(48 << 20);
    }
  }
}
