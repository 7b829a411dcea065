package io.howdah.springboot;

import io.howdah.StoreOptions;
import io.howdah.micrometer.StoreTimers;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;

/** The timers of all stores of the properties, whichever is first: a store or a registry. */
final class TimersOfStores implements StoreOptionsCustomizer, MeterBinder {

  private final List<StoreTimers> timers = new ArrayList<>();
  private final List<MeterRegistry> registries = new ArrayList<>();

  @Override
  public synchronized StoreOptions customize(String store, StoreOptions options) {
    if (options.timings().isPresent()) {
      return options; // the program's own
    }
    StoreTimers made = new StoreTimers(Tags.of("store", store));
    registries.forEach(made::bindTo);
    timers.add(made);
    return options.withTimings(made);
  }

  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    timers.forEach(each -> each.bindTo(registry));
    registries.add(registry);
  }
}
