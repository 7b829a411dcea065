package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Writers give all entries of a map one number at a time, in place or in other blocks, while
 * readers, who validate entries by the orecs of their slots, find the same number in all of them.
 * No crash: what goes wrong here does so in memory.
 */
final class EntriesReplaced implements Scenario {

  private static final int ENTRIES = 4;
  private static final int WRITES = 20;
  private static final int LOOK_UPS = 40;
  private static final int SHORT = 20;
  private static final int LONG = 70;
  private static final int MOST_STEPS = 20_000_000;

  EntriesReplaced() {}

  @Override
  public String name() {
    return "entries-replaced";
  }

  @Override
  public String hazard() {
    return "a look-up finds a value half replaced, or values of two commits, or another's words";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed()).run());
    }
  }

  private static final class Run {

    private final SplittableRandom random;
    private final long seed;
    private int number;

    Run(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
    }

    void run() {
      SimulatedExecution execution =
          SimulatedExecution.builder(Schedule.random(random.nextLong(), 1 + random.nextInt(8)))
              .virtualThreads()
              .spuriousOneIn(0)
              .maxSteps(MOST_STEPS)
              .build();
      SimulatedDisk disk = SimulatedDisk.builder(seed).execution(execution).build();
      try (Store store =
          Store.inMemory(
              StoreOptions.defaults()
                  .withMaxSize(1 << 18)
                  .withOrecs(1 << 12)
                  .withPartitions(2)
                  .withDefaultDurability(Durability.ASYNC)
                  .withStorage(disk.storage())
                  .withExecution(execution))) {
        PersistentMap<Long, byte[]> map = store.map("map", Codec.int64(), Codec.bytes());
        replace(store, map);
        execution.run(
            () ->
                List.of(
                        execution.spawn("writer", () -> write(store, map)),
                        execution.spawn("writer", () -> write(store, map)),
                        execution.spawn("reader", () -> lookUp(store, map)),
                        execution.spawn("reader", () -> lookUp(store, map)))
                    .forEach(execution::join));
      }
    }

    private void write(Store store, PersistentMap<Long, byte[]> map) {
      for (int i = 0; i < WRITES; i++) {
        replace(store, map);
      }
    }

    private void replace(Store store, PersistentMap<Long, byte[]> map) {
      byte[] value = new byte[random.nextInt(4) == 0 ? LONG : SHORT];
      Arrays.fill(value, (byte) ++number);
      boolean moves = random.nextInt(8) == 0;
      store.run(
          tx -> {
            for (long key = 0; key < ENTRIES; key++) {
              if (moves) {
                map.remove(tx, key);
              }
              map.put(tx, key, value);
            }
          });
    }

    private void lookUp(Store store, PersistentMap<Long, byte[]> map) {
      for (int i = 0; i < LOOK_UPS; i++) {
        long first = random.nextInt(ENTRIES);
        long second = random.nextInt(ENTRIES);
        boolean fails =
            store.read(
                tx -> {
                  byte[] value = find(tx, map, first);
                  byte[] other = find(tx, map, second);
                  return !isUniform(value) || !Arrays.equals(value, other);
                });
        if (fails) {
          throw new Violation("keys " + first + " and " + second + " have values of two commits");
        }
      }
    }

    private static byte[] find(Tx tx, PersistentMap<Long, byte[]> map, long key) {
      byte[] value = map.get(tx, key);
      if (value == null) {
        throw new Violation("no key " + key);
      }
      return value;
    }

    private static boolean isUniform(byte[] value) {
      for (byte b : value) {
        if (b != value[0]) {
          return false;
        }
      }
      return true;
    }
  }
}
