package io.howdah.springboot;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Auto-configuration of stores: a bean for each {@code howdah.stores.NAME}. */
@AutoConfiguration
@EnableConfigurationProperties(HowdahProperties.class)
@Import({StoreBeans.class, HowdahAutoConfiguration.Stores.class})
public final class HowdahAutoConfiguration {

  /** For Spring. */
  public HowdahAutoConfiguration() {}

  /** All stores together. */
  @Configuration(proxyBeanMethods = false)
  static final class Stores {

    @Bean
    HowdahStores howdahStores(ListableBeanFactory beans) {
      return new HowdahStores(beans);
    }
  }
}
