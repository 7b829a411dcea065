package io.howdah.springdata;

import org.jspecify.annotations.Nullable;
import org.springframework.data.keyvalue.core.KeyValueOperations;
import org.springframework.data.keyvalue.repository.support.KeyValueRepositoryFactoryBean;
import org.springframework.data.repository.Repository;

/**
 * Makes a repository, and opens the map of its entities. So a class that cannot be stored, and a
 * map with other values, end the start of the application, and a new index is built by then.
 *
 * @param <T> the repository
 * @param <S> its entities
 * @param <ID> their keys
 */
public final class HowdahRepositoryFactoryBean<T extends Repository<S, ID>, S, ID>
    extends KeyValueRepositoryFactoryBean<T, S, ID> {

  private @Nullable KeyValueOperations operations;

  /** Creates one for a repository interface. */
  public HowdahRepositoryFactoryBean(Class<? extends T> repository) {
    super(repository);
  }

  @Override
  public void setKeyValueOperations(KeyValueOperations operations) {
    super.setKeyValueOperations(operations);
    this.operations = operations;
  }

  @Override
  public void afterPropertiesSet() {
    super.afterPropertiesSet();
    if (operations instanceof HowdahKeyValueTemplate template) {
      template.open(getRepositoryInformation().getDomainType());
    }
  }
}
