package io.howdah.springboot;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a bean for each store of the properties: named {@code NAMEStore}, and found by the
 * qualifier {@code NAME}. The bean is the store. Spring closes it after the beans that use it,
 * which is after the web server has ended its requests and after schedulers have ended.
 */
final class StoreBeans implements ImportBeanDefinitionRegistrar, EnvironmentAware {

  private static final String SUFFIX = "Store";

  /** The attribute of a bean's definition that has the store's name. */
  private static final String NAME = StoreBeans.class.getName() + ".name";

  private @Nullable Environment environment;

  @Override
  public void setEnvironment(Environment environment) {
    this.environment = environment;
  }

  /** Returns the name of the store that a bean is. */
  static String name(BeanFactory beans, String bean) {
    if (beans instanceof ConfigurableListableBeanFactory factory
        && factory.containsBeanDefinition(bean)
        && factory.getBeanDefinition(bean).getAttribute(NAME) instanceof String name) {
      return name;
    }
    return bean;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    HowdahProperties properties = properties();
    requireDirectories(properties);
    String primary = primary(properties);
    ConfigurableListableBeanFactory beans = (ConfigurableListableBeanFactory) registry;
    new TreeMap<>(properties.stores())
        .forEach(
            (name, store) -> {
              AbstractBeanDefinition definition =
                  BeanDefinitionBuilder.genericBeanDefinition(
                          Store.class, () -> open(beans, name, store))
                      .setPrimary(name.equals(primary))
                      .setDestroyMethodName("close")
                      .setRole(BeanDefinition.ROLE_APPLICATION)
                      .getBeanDefinition();
              definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
              definition.setAttribute(NAME, name);
              definition.setResourceDescription(HowdahProperties.name(name, "directory"));
              registry.registerBeanDefinition(name + SUFFIX, definition);
            });
  }

  /** Binds as Spring Boot binds its properties, before there are beans that it could bind to. */
  private HowdahProperties properties() {
    Environment given = environment;
    if (given == null) {
      throw new IllegalStateException("Spring has given no environment");
    }
    BindHandler refusesUnknown =
        new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter());
    return Binder.get(given)
        .bind(HowdahProperties.PREFIX, Bindable.of(HowdahProperties.class), refusesUnknown)
        .orElseGet(() -> new HowdahProperties(Map.of(), null, true));
  }

  private static @Nullable String primary(HowdahProperties properties) {
    String primary = properties.primary();
    if (primary != null && !properties.stores().containsKey(primary)) {
      throw new InvalidConfigurationPropertyValueException(
          HowdahProperties.PREFIX + ".primary",
          primary,
          "there is no store of this name; there are "
              + new TreeMap<>(properties.stores()).keySet());
    }
    return primary != null || properties.stores().size() != 1
        ? primary
        : properties.stores().keySet().iterator().next();
  }

  /** Two stores in one directory would be the second opening of one. */
  private static void requireDirectories(HowdahProperties properties) {
    Map<Path, String> owners = new HashMap<>();
    new TreeMap<>(properties.stores())
        .forEach(
            (name, store) -> {
              String property = HowdahProperties.name(name, "directory");
              Path directory = store.directory();
              if (store.inMemory() != (directory == null)) {
                throw new InvalidConfigurationPropertyValueException(
                    property,
                    directory,
                    store.inMemory()
                        ? "a store in memory has no directory"
                        : "a store needs a directory, or in-memory=true");
              }
              String owner = directory == null ? null : owners.put(real(directory), name);
              if (owner != null) {
                throw new InvalidConfigurationPropertyValueException(
                    property,
                    directory,
                    "it is the directory of the store "
                        + owner
                        + ", too; one store has one bean: inject that of "
                        + owner);
              }
            });
  }

  /** Returns a path that is the same for all names of a directory that is there. */
  private static Path real(Path directory) {
    Path absolute = directory.toAbsolutePath().normalize();
    try {
      return Files.exists(absolute) ? absolute.toRealPath() : absolute;
    } catch (IOException e) {
      return absolute; // its opening says what is wrong
    }
  }

  private static Store open(
      ConfigurableListableBeanFactory beans, String name, StoreProperties properties) {
    StoreOptions options = properties.options(name);
    for (StoreOptionsCustomizer customizer :
        beans.getBeanProvider(StoreOptionsCustomizer.class).orderedStream().toList()) {
      options = customizer.customize(name, options);
    }
    Path directory = properties.directory();
    try {
      return directory == null ? Store.inMemory(options) : Store.open(directory, options);
    } catch (HowdahException e) {
      throw new StoreOpeningException(name, directory, e);
    }
  }
}
