package io.howdah.springboot;

import io.howdah.Store;
import io.howdah.micrometer.StoreMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of stores, with the tag {@code store}. */
@AutoConfiguration(after = HowdahAutoConfiguration.class)
@ConditionalOnClass({MeterRegistry.class, MetricsAutoConfiguration.class})
@ConditionalOnBean(Store.class)
public final class HowdahMetricsAutoConfiguration {

  /** For Spring. */
  public HowdahMetricsAutoConfiguration() {}

  /** Returns what binds the figures of all stores. */
  @Bean
  MeterBinder howdahMetrics(HowdahStores stores) {
    return registry ->
        stores
            .all()
            .forEach(
                (name, store) -> new StoreMetrics(store, Tags.of("store", name)).bindTo(registry));
  }

  /** Returns the timers of all stores of the properties. */
  @Bean
  @ConditionalOnBooleanProperty(name = "howdah.timers", matchIfMissing = true)
  TimersOfStores howdahTimers() {
    return new TimersOfStores();
  }
}
