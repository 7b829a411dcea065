package io.howdah.springboot;

import io.howdah.Store;
import io.howdah.springdata.EnableHowdahRepositories;
import io.howdah.springdata.HowdahKeyValueTemplate;
import io.howdah.springdata.HowdahRepositoryConfigurationExtension;
import io.howdah.springdata.HowdahRepositoryFactoryBean;
import io.howdah.springdata.HowdahTransactionManager;
import java.lang.annotation.Annotation;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.data.AbstractRepositoryConfigurationSourceSupport;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.repository.config.RepositoryConfigurationExtension;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AbstractTransactionManagementConfiguration;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * Auto-configuration of repositories and of {@code @Transactional}, for the only or the primary
 * store, if howdah-spring-data is there. An application with another transaction manager keeps
 * that, and declares a {@link HowdahTransactionManager} itself.
 */
@AutoConfiguration(
    after = HowdahAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration"
    },
    beforeName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
@ConditionalOnClass(HowdahTransactionManager.class)
@ConditionalOnSingleCandidate(Store.class)
public final class HowdahDataAutoConfiguration {

  /** For Spring. */
  public HowdahDataAutoConfiguration() {}

  /** Transactions of the store. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(TransactionManager.class)
  static final class Transactions {

    @Bean
    HowdahTransactionManager transactionManager(Store store) {
      return new HowdahTransactionManager(store);
    }

    /** As Spring Boot's own auto-configuration, which may not be there. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    @ConditionalOnMissingBean(AbstractTransactionManagementConfiguration.class)
    static final class Enabling {}
  }

  /** Repositories in the packages of the application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBooleanProperty(
      name = "spring.data.howdah.repositories.enabled",
      matchIfMissing = true)
  @ConditionalOnMissingBean({HowdahRepositoryFactoryBean.class, HowdahKeyValueTemplate.class})
  @Import(Registrar.class)
  static final class Repositories {}

  /** Scans for repositories as {@link EnableHowdahRepositories} does. */
  static final class Registrar extends AbstractRepositoryConfigurationSourceSupport {

    @Override
    protected Class<? extends Annotation> getAnnotation() {
      return EnableHowdahRepositories.class;
    }

    @Override
    protected Class<?> getConfiguration() {
      return Enabled.class;
    }

    @Override
    protected RepositoryConfigurationExtension getRepositoryConfigurationExtension() {
      return new HowdahRepositoryConfigurationExtension();
    }

    /**
     * Only read for its annotation. It is no member of a configuration: Spring would take it for
     * one, and scan its package instead of the application's.
     */
    @EnableHowdahRepositories
    private static final class Enabled {}
  }
}
