package io.howdah.examples.metrics;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.micrometer.StoreMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A store as beans of Spring; Spring Boot takes the same class. The context closes the store, which
 * forces what is committed. Boot registers {@code MeterBinder}s by itself: there, {@link #metrics}
 * returns the binder and needs no registry.
 */
@Configuration(proxyBeanMethods = false)
public class StoreConfiguration {

  /** For Spring. */
  public StoreConfiguration() {}

  /** Opens the store, and recovers it if that is needed, before the program serves anybody. */
  @Bean(destroyMethod = "close")
  public Store store(@Value("${howdah.folder}") Path folder) {
    return Store.open(folder);
  }

  /** Returns a map as a bean, to be injected where it is used. */
  @Bean
  public PersistentMap<String, Long> visits(Store store) {
    return store.map("visits", Codec.utf8(), Codec.int64());
  }

  /** Publishes the store's figures. */
  @Bean
  public StoreMetrics metrics(Store store, MeterRegistry registry) {
    StoreMetrics metrics = new StoreMetrics(store);
    metrics.bindTo(registry);
    return metrics;
  }
}
