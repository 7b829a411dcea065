package io.howdah.springdata;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Import;
import org.springframework.data.keyvalue.repository.config.QueryCreatorType;
import org.springframework.data.repository.config.DefaultRepositoryBaseClass;
import org.springframework.data.repository.query.QueryLookupStrategy;

/**
 * Creates the repositories in packages: interfaces that extend {@link HowdahRepository}. Each
 * entity class has a sorted map in the store, named as the class or as its {@code @KeySpace} says.
 * Its keys are the entities' {@code @Id}. Classes are stored as {@code StoreOptions.codecs} says,
 * so records need nothing more.
 *
 * <p>The attributes are those of Spring Data's other modules, where not described here.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Import(HowdahRepositoriesRegistrar.class)
@QueryCreatorType(ConditionQueryCreator.class)
public @interface EnableHowdahRepositories {

  /** Returns the packages to scan; by default that of the annotated class. */
  String[] value() default {};

  /** Returns the packages to scan, as {@link #value}. */
  String[] basePackages() default {};

  /** Returns classes whose packages are scanned. */
  Class<?>[] basePackageClasses() default {};

  /** Returns what is not scanned. */
  Filter[] excludeFilters() default {};

  /** Returns what is scanned. */
  Filter[] includeFilters() default {};

  /** Returns how the classes end that implement methods of the program. */
  String repositoryImplementationPostfix() default "Impl";

  /** Returns where named queries are. */
  String namedQueriesLocation() default "";

  /** Returns how queries are found. */
  QueryLookupStrategy.Key queryLookupStrategy() default QueryLookupStrategy.Key.CREATE_IF_NOT_FOUND;

  /** Returns what makes the repositories. */
  Class<?> repositoryFactoryBeanClass() default HowdahRepositoryFactoryBean.class;

  /** Returns the class of all repositories. */
  Class<?> repositoryBaseClass() default DefaultRepositoryBaseClass.class;

  /**
   * Returns the name of the bean that the repositories work with, a {@link HowdahKeyValueTemplate}.
   * If there is no bean of the default name, one is made for {@link #storeRef}. With another name,
   * declare that bean yourself: one for each store.
   */
  String keyValueTemplateRef() default HowdahRepositoryConfigurationExtension.TEMPLATE;

  /** Returns the name of the store's bean; empty for the only or the primary store. */
  String storeRef() default "";

  /** Returns whether interfaces within classes are repositories, too. */
  boolean considerNestedRepositories() default false;
}
