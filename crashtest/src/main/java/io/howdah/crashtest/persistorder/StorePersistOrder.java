package io.howdah.crashtest.persistorder;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.dag.RedundantBarriers;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.Site;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;

/**
 * What a store with one partition writes and forces in a small run, as a persist order. Files
 * promise what strand persistency does; the other models order more than files do.
 */
public final class StorePersistOrder {
  /** Commits of a run that has several. */
  public static final int COMMITS = 8;

  /** A small run of a store. */
  public enum Run {
    SYNC_COMMITS("8 SYNC commits"),
    MAP_PUTS("8 SYNC puts into a map"),
    QUEUE_ADDS("8 SYNC adds to a queue"),
    ASYNC_COMMITS("8 ASYNC commits and a SYNC one"),
    CHECKPOINT("a SYNC commit, a checkpoint, a SYNC commit");

    private final String text;

    Run(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  private final FileOrder order = new FileOrder();

  private StorePersistOrder(Run run) {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.roundRobin(256));
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    execution.run(
        () -> {
          StoreOptions options =
              StoreOptions.defaults()
                  .withStorage(new RecordedStorage(disk.storage(), order, region -> region))
                  .withExecution(execution)
                  .withPartitions(1)
                  .withRingBytes(1 << 16)
                  .withOrecs(256)
                  .withMaxSize(1 << 17);
          try (Store store = Store.open(options)) {
            store.run(TxOptions.of(Durability.SYNC), tx -> tx.root(0, tx.allocate(64)));
            order.start();
            run(run, store);
            order.stop();
          }
        });
  }

  /** Executes and records the run. */
  public static StorePersistOrder of(Run run) {
    return new StorePersistOrder(run);
  }

  private void run(Run run, Store store) {
    switch (run) {
      case SYNC_COMMITS -> commits(store, Durability.SYNC);
      case MAP_PUTS -> {
        var map = store.map("numbers", Codec.int64(), Codec.int64());
        order.restart();
        repeat(store, (tx, i) -> map.put(tx, i, i));
      }
      case QUEUE_ADDS -> {
        var queue = store.queue("numbers", Codec.int64());
        order.restart();
        repeat(store, (tx, i) -> queue.add(tx, i));
      }
      case ASYNC_COMMITS -> {
        commits(store, Durability.ASYNC);
        commit(store, Durability.SYNC, COMMITS + 1);
      }
      case CHECKPOINT -> {
        commit(store, Durability.SYNC, 1);
        store.admin().checkpoint();
        commit(store, Durability.SYNC, 2);
      }
    }
  }

  private void repeat(Store store, ObjLongConsumer<Tx> body) {
    eight(
        i -> {
          order.operationBegins(i);
          store.run(TxOptions.of(Durability.SYNC), tx -> body.accept(tx, i));
          order.acknowledged(i);
        });
  }

  private void commits(Store store, Durability durability) {
    eight(i -> commit(store, durability, i));
  }

  private static void eight(LongConsumer body) {
    for (long i = 1; i <= COMMITS; i++) {
      body.accept(i);
    }
  }

  private void commit(Store store, Durability durability, long value) {
    order.operationBegins(value);
    store.run(TxOptions.of(durability), tx -> tx.putLong(tx.root(0), value));
    if (durability != Durability.ASYNC) {
      order.acknowledged(value);
    }
  }

  /** Writes, forces and what a client was told, as memory events. */
  public TraceBuffer trace() {
    return order.trace();
  }

  /** Forces that covered a write, by the kind of their file. */
  public Map<String, Integer> forces() {
    return order.forces();
  }

  /** The order of the persists under a model; strand persistency is what files promise. */
  public PersistDag under(PersistencyModel model) {
    return PersistDagBuilder.of(order.trace(), model);
  }

  /**
   * Kinds of files of which a force orders nothing: without it later writes are ordered the same
   * way, and what was acknowledged is durable all the same.
   */
  public List<Site> forcesThatOrderNothing() {
    return RedundantBarriers.find(order.trace(), Models.STRAND).barriers().stream()
        .filter(RedundantBarriers.Barrier::redundant)
        .map(RedundantBarriers.Barrier::site)
        .filter(site -> site.what().equals(FileOrder.FORCE) && keepsAcknowledged(site))
        .toList();
  }

  private boolean keepsAcknowledged(Site force) {
    PersistDag without = PersistDagBuilder.of(without(force::equals), Models.STRAND);
    return without.syncs().stream().allMatch(sync -> isDurable(without, sync));
  }

  /** The trace without the order that the forces of these sites give. */
  TraceBuffer without(Predicate<Site> forces) {
    TraceBuffer trace = order.trace();
    TraceBuffer rest = new TraceBuffer(trace.count());
    for (int i = 0; i < trace.count(); i++) {
      long event = trace.packed(i);
      if (Event.kind(event) != Event.PERSIST_BARRIER || !forces.test(Site.of(Event.site(event)))) {
        rest.add(event, trace.address(i), trace.value(i));
      }
    }
    return rest;
  }

  /** Whether all that was written before a client was told is durable then, in every state. */
  public static boolean isDurable(PersistDag dag, PersistDag.SyncPoint sync) {
    return dag.nodes().stream()
        .filter(node -> node.firstStore().sequence() < sync.sequence())
        .allMatch(node -> sync.durable().get(node.id()));
  }
}
