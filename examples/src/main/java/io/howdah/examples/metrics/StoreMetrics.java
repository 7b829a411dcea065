package io.howdah.examples.metrics;

import io.howdah.Store;
import io.howdah.StoreStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** Publishes a store's counters and gauges; copy it into your program. */
public final class StoreMetrics implements MeterBinder {

  private final Store store;

  /** Publishes a store's. */
  public StoreMetrics(Store store) {
    this.store = store;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    counter(registry, "howdah.commits", StoreStats::commits);
    counter(registry, "howdah.commits.readonly", StoreStats::readOnlyCommits);
    counter(registry, "howdah.forces", StoreStats::forces);
    gauge(registry, "howdah.unstable", stats -> stats.lsn() - stats.stableLsn());
    gauge(registry, "howdah.region.allocated", StoreStats::allocatedBytes);
    gauge(registry, "howdah.region.capacity", StoreStats::capacityBytes);
  }

  private void counter(MeterRegistry registry, String name, ToDoubleFunction<StoreStats> value) {
    FunctionCounter.builder(name, store, s -> value.applyAsDouble(s.admin().stats()))
        .register(registry);
  }

  private void gauge(MeterRegistry registry, String name, ToDoubleFunction<StoreStats> value) {
    Gauge.builder(name, store, s -> value.applyAsDouble(s.admin().stats())).register(registry);
  }
}
