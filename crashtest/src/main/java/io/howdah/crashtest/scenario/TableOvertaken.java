package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.PersistentMap;
import io.howdah.core.RegionFullException;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Look-ups beside a map that grows, is dropped, and whose place is taken by words that look like an
 * empty table, while one of them is held at any of its steps. They read a part of the table past
 * the orecs, and yet find what was put, until they are told that the map is gone. No crash: what
 * goes wrong here does so in memory.
 */
final class TableOvertaken implements Scenario {

  /** As many as the buckets of a new table are made for, and so each further one lets it grow. */
  private static final int ENTRIES = 320;

  private static final int MORE_ENTRIES = 60;

  /** About as many as two look-ups take. */
  private static final int LOOK_UP_STEPS = 40;

  private static final int MOST_STEPS = 20_000_000;

  // Where a table has which words, so that others can be put in their place.
  private static final int TABLE_BYTES = 4928;
  private static final int SEGMENTS_AT = 24;
  private static final int STRIPES_AT = 832;
  private static final int STRIPE_BYTES = 64;

  /** As long as two buckets of each stripe. */
  private static final int ZEROS_BYTES = 2 * 64 * 64;

  TableOvertaken() {}

  @Override
  public String name() {
    return "table-overtaken";
  }

  @Override
  public String hazard() {
    return "a look-up misses an entry of a table that grows, or takes another's words for a table";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed()).run());
    }
  }

  private static final class Run {

    private static final long NOBODY = -1;

    private final SplittableRandom random;
    private final HoldingSchedule schedule;
    private final SimulatedExecution execution;
    private final long seed;
    private long reader = NOBODY;
    private boolean isGoing;
    private boolean isGone;

    Run(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
      schedule = new HoldingSchedule(random.nextLong());
      execution =
          SimulatedExecution.builder(schedule)
              .virtualThreads()
              .spuriousOneIn(0)
              .maxSteps(MOST_STEPS)
              .build();
    }

    void run() {
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
        // Older than all that a look-up reads before it, or it would be noticed for its age.
        long zeros = store.call(tx -> tx.allocate(ZEROS_BYTES));
        PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
        for (int i = 0; i < ENTRIES; i++) {
          put(store, map, i);
        }
        execution.run(
            () ->
                List.of(
                        execution.spawn("writer", () -> change(store, map, zeros)),
                        execution.spawn("reader", () -> lookUp(store, map)),
                        execution.spawn("reader", () -> lookUp(store, map)))
                    .forEach(execution::join));
      }
    }

    private static void put(Store store, PersistentMap<Long, Long> map, long key) {
      store.run(tx -> map.put(tx, key, ~key));
    }

    private void change(Store store, PersistentMap<Long, Long> map, long zeros) {
      for (int i = 0; i < MORE_ENTRIES; i++) {
        put(store, map, ENTRIES + i);
      }
      while (reader == NOBODY) {
        execution.yieldNow();
      }
      schedule.hold(reader, random.nextInt(LOOK_UP_STEPS));
      while (!schedule.isHeld(reader)) {
        execution.yieldNow();
      }
      isGoing = true;
      store.admin().drop("map");
      isGone = true;
      takeRoom(store, zeros);
      schedule.release(reader);
    }

    /** Takes all the room there is, and so the table's. */
    private static void takeRoom(Store store, long zeros) {
      try {
        while (true) {
          store.run(tx -> imitate(tx, tx.allocate(TABLE_BYTES), zeros));
        }
      } catch (RegionFullException e) {
        // That was all.
      }
    }

    /** Makes a block look like an empty table. */
    private static void imitate(Tx tx, long block, long zeros) {
      for (int at = SEGMENTS_AT; at + Long.BYTES <= STRIPES_AT; at += Long.BYTES) {
        tx.putLong(block + at, zeros);
      }
      for (int at = STRIPES_AT; at < TABLE_BYTES; at += STRIPE_BYTES) {
        tx.putLong(block + at, 1);
      }
    }

    private void lookUp(Store store, PersistentMap<Long, Long> map) {
      reader = execution.threadNumber();
      try {
        while (true) {
          boolean wasGone = isGone;
          long key = random.nextInt(ENTRIES);
          long value = store.read(tx -> map.getOrDefault(tx, key, key));
          if (wasGone || value != ~key) {
            throw new Violation(
                (value == key ? "no key " + key : "key " + key + " with value " + value)
                    + (wasGone ? ", and the map was dropped before" : ""));
          }
        }
      } catch (CollectionMismatchException e) {
        if (!isGoing) {
          throw e;
        }
      }
    }
  }
}
