package io.howdah.micrometer;

import io.howdah.CheckpointStats;
import io.howdah.Store;
import io.howdah.StoreStats;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.txn.AbortCause;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Publishes the counters and gauges of an open store; docs/operating.md lists them, and says when
 * to alert. A store has no name of its own, so programs with several give each one a tag:
 *
 * <pre>{@code
 * new StoreMetrics(store, Tags.of("store", "orders")).bindTo(registry);
 * }</pre>
 *
 * <p>A registry asks the store when it is asked itself; that takes microseconds and disturbs no
 * transaction. Meters hold the store weakly. Once it is closed or has failed, they say NaN, or what
 * counters said last. A store that is bound later takes the place of one with the same tags, so one
 * that was closed and is open again has its figures. Thread-safe.
 */
public final class StoreMetrics implements MeterBinder {

  private final Store store;
  private final Tags tags;

  /** Publishes the figures of a store. */
  public StoreMetrics(Store store) {
    this(store, List.of());
  }

  /** Publishes the figures of a store with tags that tell it from others. */
  public StoreMetrics(Store store, Iterable<Tag> tags) {
    this.store = store;
    this.tags = Tags.of(tags);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Meters meters = new Meters(registry);
    meters.counter("howdah.commits", "type", "write", "Commits", StoreStats::commits);
    meters.counter("howdah.commits", "type", "read", "Commits", StoreStats::readOnlyCommits);
    for (AbortCause cause : AbortCause.values()) {
      meters.counter(
          "howdah.aborts",
          "cause",
          cause.name().toLowerCase(Locale.ROOT),
          "Attempts that did not commit",
          stats -> stats.aborts().getOrDefault(cause, 0L));
    }
    meters.counter("howdah.forces", "Writes to the disk that were waited for", StoreStats::forces);
    meters.counter(
        "howdah.entries.reclaimed",
        "Expired entries of maps that were removed",
        StoreStats::reclaimedEntries);
    meters.gauge(
        "howdah.commits.unstable",
        "Commits that a power cut would undo",
        stats -> stats.lsn() - stats.stableLsn());
    meters.gauge(
        "howdah.stalled",
        "1 if nothing becomes durable, else 0",
        stats -> stats.stall().isPresent() ? 1 : 0);
    meters.bytes("howdah.store.allocated", "Data, and what was data", StoreStats::allocatedBytes);
    meters.bytes("howdah.store.capacity", "Room for data", StoreStats::capacityBytes);
    meters.bytes(
        "howdah.memory.used", "Memory that the system cannot take back", StoreStats::memoryBytes);
    meters.bytes(
        "howdah.memory.limit", "Memory of machine or container", StoreStats::memoryLimitBytes);
    if (hasCheckpoints()) {
      bindCheckpoints(meters);
    }
  }

  private void bindCheckpoints(Meters meters) {
    meters.checkpointCounter("howdah.checkpoints", "Checkpoints taken", CheckpointStats::taken);
    meters.checkpointGauge(
        "howdah.checkpoints.failing",
        "",
        "Attempts at a checkpoint that failed in a row; 0 if the last one succeeded",
        CheckpointStats::failedAttempts);
    meters.checkpointGauge("howdah.log.size", BaseUnits.BYTES, "Log", CheckpointStats::logBytes);
    meters.checkpointGauge(
        "howdah.log.limit", BaseUnits.BYTES, "Maximum log", CheckpointStats::maxLogBytes);
    meters.checkpointGauge(
        "howdah.recovery.expected",
        "seconds",
        "How long an opening after a crash would take now",
        stats -> stats.expectedRecovery().toNanos() / 1e9);
    meters.checkpointGauge(
        "howdah.commits.held",
        "",
        "1 while commits wait for a checkpoint, else 0",
        stats -> stats.commitsHeld() ? 1 : 0);
  }

  /** A store in memory, or one that is open for reading only, takes none. */
  private boolean hasCheckpoints() {
    try {
      store.admin().checkpointStats();
      return true;
    } catch (IllegalStateException | ReadOnlyStoreException e) {
      return false;
    }
  }

  /** What a registry gets from the store, with the tags of all meters. */
  private final class Meters {

    private final MeterRegistry registry;

    Meters(MeterRegistry registry) {
      this.registry = registry;
    }

    /**
     * Removes the meter that the registry has for a name and tags: it would keep that one, perhaps
     * of a store that was closed and is open again.
     */
    private void makeRoom(String name, Tags all, Meter.Type type) {
      Meter _ = registry.removeByPreFilterId(new Meter.Id(name, all, null, null, type));
    }

    void counter(String name, String help, ToDoubleFunction<StoreStats> value) {
      makeRoom(name, tags, Meter.Type.COUNTER);
      FunctionCounter.builder(name, store, of(value))
          .tags(tags)
          .description(help)
          .register(registry);
    }

    void counter(
        String name, String key, String tag, String help, ToDoubleFunction<StoreStats> value) {
      makeRoom(name, tags.and(key, tag), Meter.Type.COUNTER);
      FunctionCounter.builder(name, store, of(value))
          .tags(tags)
          .tag(key, tag)
          .description(help)
          .register(registry);
    }

    void gauge(String name, String help, ToDoubleFunction<StoreStats> value) {
      makeRoom(name, tags, Meter.Type.GAUGE);
      Gauge.builder(name, store, of(value)).tags(tags).description(help).register(registry);
    }

    void bytes(String name, String help, ToDoubleFunction<StoreStats> value) {
      makeRoom(name, tags, Meter.Type.GAUGE);
      Gauge.builder(name, store, of(value))
          .tags(tags)
          .description(help)
          .baseUnit(BaseUnits.BYTES)
          .register(registry);
    }

    void checkpointCounter(String name, String help, ToDoubleFunction<CheckpointStats> value) {
      makeRoom(name, tags, Meter.Type.COUNTER);
      FunctionCounter.builder(name, store, ofCheckpoints(value))
          .tags(tags)
          .description(help)
          .register(registry);
    }

    void checkpointGauge(
        String name, String unit, String help, ToDoubleFunction<CheckpointStats> value) {
      makeRoom(name, tags, Meter.Type.GAUGE);
      Gauge.builder(name, store, ofCheckpoints(value))
          .tags(tags)
          .description(help)
          .baseUnit(unit.isEmpty() ? null : unit)
          .register(registry);
    }

    private static ToDoubleFunction<Store> of(ToDoubleFunction<StoreStats> value) {
      return store -> {
        try {
          return value.applyAsDouble(store.admin().stats());
        } catch (StoreClosedException | StoreFailedException e) {
          return Double.NaN;
        }
      };
    }

    private static ToDoubleFunction<Store> ofCheckpoints(ToDoubleFunction<CheckpointStats> value) {
      return store -> {
        try {
          return value.applyAsDouble(store.admin().checkpointStats());
        } catch (StoreClosedException | StoreFailedException e) {
          return Double.NaN;
        }
      };
    }
  }
}
