package io.howdah.springdata;

import java.lang.annotation.Annotation;
import org.springframework.data.repository.config.RepositoryBeanDefinitionRegistrarSupport;
import org.springframework.data.repository.config.RepositoryConfigurationExtension;

/** Registers what {@link EnableHowdahRepositories} asks for. */
final class HowdahRepositoriesRegistrar extends RepositoryBeanDefinitionRegistrarSupport {

  @Override
  protected Class<? extends Annotation> getAnnotation() {
    return EnableHowdahRepositories.class;
  }

  @Override
  protected RepositoryConfigurationExtension getExtension() {
    return new HowdahRepositoryConfigurationExtension();
  }
}
