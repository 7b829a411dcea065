package io.howdah.micrometer;

import io.howdah.Store;
import io.howdah.StoreFigure;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

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
    for (StoreFigure figure : StoreFigure.of(store.admin())) {
      StoreFigure.Meter meter = figure.meter().orElse(null);
      if (meter != null && figure.isCheap()) {
        bind(registry, figure, meter);
      }
    }
  }

  private void bind(MeterRegistry registry, StoreFigure figure, StoreFigure.Meter meter) {
    boolean isCounter = figure.kind() == StoreFigure.Kind.COUNTER;
    Tags all = meter.key().isEmpty() ? tags : tags.and(meter.key(), meter.value());
    makeRoom(registry, meter.name(), all, isCounter ? Meter.Type.COUNTER : Meter.Type.GAUGE);
    if (isCounter) {
      FunctionCounter.builder(meter.name(), store, value(figure))
          .tags(all)
          .description(figure.help())
          .register(registry);
    } else {
      Gauge.builder(meter.name(), store, value(figure))
          .tags(all)
          .description(figure.help())
          .baseUnit(baseUnit(figure.unit()))
          .register(registry);
    }
  }

  /**
   * Removes the meter that the registry has for a name and tags: it would keep that one, perhaps of
   * a store that was closed and is open again.
   */
  private static void makeRoom(MeterRegistry registry, String name, Tags all, Meter.Type type) {
    Meter _ = registry.removeByPreFilterId(new Meter.Id(name, all, null, null, type));
  }

  /** Returns the unit in which meters are: durations have seconds, as those of Micrometer. */
  private static @Nullable String baseUnit(StoreFigure.Unit unit) {
    return switch (unit) {
      case NONE -> null;
      case BYTES -> BaseUnits.BYTES;
      case MILLISECONDS -> "seconds";
    };
  }

  /** Returns what reads a figure. Refers to no store: the registry holds the store weakly. */
  private static ToDoubleFunction<Store> value(StoreFigure figure) {
    double scale = figure.unit() == StoreFigure.Unit.MILLISECONDS ? 1e3 : 1;
    return store -> {
      try {
        return figure.read(store.admin()) / scale;
      } catch (StoreClosedException | StoreFailedException e) {
        return Double.NaN;
      }
    };
  }
}
