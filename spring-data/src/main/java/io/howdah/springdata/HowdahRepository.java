package io.howdah.springdata;

import org.springframework.data.keyvalue.repository.KeyValueRepository;
import org.springframework.data.repository.NoRepositoryBean;

/**
 * A repository of entities in a store. An interface that extends it is one of Howdah's also where
 * an application has repositories of several kinds.
 *
 * @param <T> the entities
 * @param <ID> their keys
 */
@NoRepositoryBean
public interface HowdahRepository<T, ID> extends KeyValueRepository<T, ID> {}
