package io.howdah.springboot;

import io.howdah.Store;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health of stores; {@code management.health.howdah.enabled}. */
@AutoConfiguration(after = HowdahAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean(Store.class)
@ConditionalOnEnabledHealthIndicator("howdah")
public final class HowdahHealthAutoConfiguration {

  /** For Spring. */
  public HowdahHealthAutoConfiguration() {}

  /** Returns the health of the only store, or of all by their names. */
  @Bean
  @ConditionalOnMissingBean(name = "howdahHealthContributor")
  HealthContributor howdahHealthContributor(HowdahStores stores) {
    Map<String, Store> all = stores.all();
    return all.size() == 1
        ? new StoreHealthIndicator(all.values().iterator().next())
        : CompositeHealthContributor.fromMap(all, StoreHealthIndicator::new);
  }
}
