package io.howdah.springboot;

import io.howdah.Store;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the endpoint {@code howdah}, where an application exposes it. */
@AutoConfiguration(after = HowdahAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(Store.class)
@ConditionalOnAvailableEndpoint(HowdahEndpoint.class)
public final class HowdahEndpointAutoConfiguration {

  /** For Spring. */
  public HowdahEndpointAutoConfiguration() {}

  /** Returns the endpoint. */
  @Bean
  HowdahEndpoint howdahEndpoint(HowdahStores stores, HowdahProperties properties) {
    return new HowdahEndpoint(stores, properties);
  }
}
