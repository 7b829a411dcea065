package io.howdah;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.core.Backing;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import java.util.ArrayList;
import java.util.List;

/** A small store on a simulated disk, in memory that outlives the process. For its tests. */
abstract class SharedMemoryStore {

  static final int WORDS = 1024;
  static final long MAX_SIZE = 1 << 17;

  SimulatedDisk disk = SimulatedDisk.builder(1).build();

  static StoreOptions options(SimulatedDisk disk, Backing backing) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withBacking(backing)
        .withMaxSize(MAX_SIZE)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withDefaultDurability(Durability.ASYNC)
        .withOrecs(1 << 10);
  }

  Store open() {
    return Store.open(options(disk, Backing.SHARED));
  }

  /** Makes a store with an array, in memory that outlives the process. */
  Store filled() {
    Store store = open();
    store.run(
        tx -> {
          long array = tx.allocate(WORDS * 8L);
          tx.root(0, array);
          for (int i = 0; i < WORDS; i++) {
            tx.putLong(array + i * 8L, i);
          }
        });
    return store;
  }

  static void put(Store store, int at, long value) {
    store.run(tx -> tx.putLong(tx.root(0) + at * 8L, value));
  }

  static List<Long> words(Store store) {
    return store.read(
        tx -> {
          List<Long> words = new ArrayList<>();
          for (int i = 0; i < WORDS; i++) {
            words.add(tx.getLong(tx.root(0) + i * 8L));
          }
          return words;
        });
  }

  void kill(Store store) {
    disk.kill();
    assertThatThrownBy(store::close).isNotNull();
  }

  static MemoryOrigin origin(Store store) {
    return store.admin().recoveryReport().memory();
  }
}
