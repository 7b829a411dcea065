package io.howdah.springdata;

import io.howdah.Store;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.data.keyvalue.repository.config.KeyValueRepositoryConfigurationExtension;
import org.springframework.data.repository.config.RepositoryConfigurationSource;

/** What Spring Data asks of a module: its name, its repositories, and the beans behind them. */
public final class HowdahRepositoryConfigurationExtension
    extends KeyValueRepositoryConfigurationExtension {

  /** The default name of the {@link HowdahKeyValueTemplate}. */
  static final String TEMPLATE = "howdahKeyValueTemplate";

  /** Creates one. */
  public HowdahRepositoryConfigurationExtension() {}

  @Override
  public String getModuleName() {
    return "Howdah";
  }

  @Override
  protected String getModulePrefix() {
    return "howdah";
  }

  @Override
  public String getRepositoryFactoryBeanClassName() {
    return HowdahRepositoryFactoryBean.class.getName();
  }

  @Override
  protected Collection<Class<?>> getIdentifyingTypes() {
    return List.of(HowdahRepository.class);
  }

  @Override
  protected String getDefaultKeyValueTemplateRef() {
    return TEMPLATE;
  }

  @Override
  protected String getMappingContextBeanRef() {
    return "howdahMappingContext";
  }

  @Override
  protected @Nullable AbstractBeanDefinition getDefaultKeyValueTemplateBeanDefinition(
      RepositoryConfigurationSource source) {
    String store = source.getAttribute("storeRef").orElse("");
    return BeanDefinitionBuilder.rootBeanDefinition(HowdahKeyValueTemplate.class)
        .addConstructorArgValue(
            store.isEmpty()
                ? new RuntimeBeanReference(Store.class)
                : new RuntimeBeanReference(store))
        .addConstructorArgReference(getMappingContextBeanRef())
        .getBeanDefinition();
  }
}
