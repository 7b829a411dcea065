package io.howdah.micrometer;

import io.howdah.StoreTimings;
import io.howdah.txn.Durability;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Timers of a store; docs/operating.md lists them. The store is opened with them:
 *
 * <pre>{@code
 * StoreTimers timers = new StoreTimers(Tags.of("store", "orders"));
 * timers.bindTo(registry);
 * Store store = Store.open(directory, options.withTimings(timers));
 * }</pre>
 *
 * <p>They may be bound later, and to several registries. What happened before is not in them, but
 * for the opening and the replay, which are told to each registry that is bound. Timers have
 * histograms if the registry is configured so. Thread-safe.
 */
public final class StoreTimers implements StoreTimings, MeterBinder {

  private static final long NONE = -1;

  private final Tags tags;
  private final List<Bound> bound = new CopyOnWriteArrayList<>();

  private long openingNanos = NONE;
  private long replayNanos = NONE;

  /** Creates timers without tags of their own. */
  public StoreTimers() {
    this(List.of());
  }

  /** Creates timers with tags that tell the store from others. */
  public StoreTimers(Iterable<Tag> tags) {
    this.tags = Tags.of(tags);
  }

  /** The timers in one registry. */
  private record Bound(
      Map<Durability, Timer> transactions,
      Map<Durability, Timer> waits,
      Timer force,
      Timer checkpoint,
      Timer opening,
      Timer replay) {}

  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    Bound made =
        new Bound(
            byMode(
                registry,
                "howdah.transaction",
                "transactions from their begin to their acknowledgement"),
            byMode(registry, "howdah.durability.wait", "waits until commits are durable"),
            timer(registry, "howdah.force", "writes and forces of batches of the log"),
            timer(registry, "howdah.checkpoint", "checkpoints"),
            timer(registry, "howdah.opening", "openings of the store until it serves"),
            timer(registry, "howdah.replay", "openings until all of the log is in memory"));
    if (openingNanos != NONE) {
      made.opening.record(openingNanos, TimeUnit.NANOSECONDS);
    }
    if (replayNanos != NONE) {
      made.replay.record(replayNanos, TimeUnit.NANOSECONDS);
    }
    bound.add(made);
  }

  private Map<Durability, Timer> byMode(MeterRegistry registry, String name, String help) {
    Map<Durability, Timer> timers = new EnumMap<>(Durability.class);
    for (Durability mode : Durability.values()) {
      if (mode != Durability.ASYNC || !name.equals("howdah.durability.wait")) {
        timers.put(
            mode,
            Timer.builder(name)
                .tags(tags.and("mode", mode.name().toLowerCase(Locale.ROOT)))
                .description(help)
                .register(registry));
      }
    }
    return timers;
  }

  private Timer timer(MeterRegistry registry, String name, String help) {
    return Timer.builder(name).tags(tags).description(help).register(registry);
  }

  @Override
  public void transaction(Durability durability, long nanos) {
    for (Bound each : bound) {
      record(each.transactions.get(durability), nanos);
    }
  }

  @Override
  public void durabilityWait(Durability durability, long nanos) {
    for (Bound each : bound) {
      record(each.waits.get(durability), nanos);
    }
  }

  private static void record(@Nullable Timer timer, long nanos) {
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void force(long nanos) {
    for (Bound each : bound) {
      each.force.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void checkpoint(long nanos) {
    for (Bound each : bound) {
      each.checkpoint.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public synchronized void opening(long nanos) {
    openingNanos = nanos;
    for (Bound each : bound) {
      each.opening.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public synchronized void replay(long nanos) {
    replayNanos = nanos;
    for (Bound each : bound) {
      each.replay.record(nanos, TimeUnit.NANOSECONDS);
    }
  }
}
