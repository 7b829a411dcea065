package io.howdah.springdata;

import io.howdah.Store;
import org.jspecify.annotations.Nullable;
import org.springframework.data.keyvalue.core.KeyValueCallback;
import org.springframework.data.keyvalue.core.KeyValueTemplate;
import org.springframework.data.keyvalue.core.mapping.KeyValuePersistentEntity;
import org.springframework.data.keyvalue.core.mapping.KeyValuePersistentProperty;
import org.springframework.data.mapping.context.MappingContext;

/**
 * What repositories work with: entities in the maps of a store. Each method is a transaction of its
 * own, or a part of that of {@link HowdahTransactionManager} which runs in its thread. Exceptions
 * of the store become those of Spring ({@link HowdahExceptionTranslator}). Closes nothing: the
 * store has a bean of its own. Thread-safe.
 */
public final class HowdahKeyValueTemplate extends KeyValueTemplate {

  /** Whether the thread is in an insert, whose test and put belong into one transaction. */
  private static final ScopedValue<Boolean> INSERTING = ScopedValue.newInstance();

  private final HowdahKeyValueAdapter adapter;

  /** Creates one for the entities of a mapping context. */
  public HowdahKeyValueTemplate(
      Store store,
      MappingContext<
              ? extends KeyValuePersistentEntity<?, ?>, ? extends KeyValuePersistentProperty<?>>
          context) {
    this(new HowdahKeyValueAdapter(store, context), context);
  }

  private HowdahKeyValueTemplate(
      HowdahKeyValueAdapter adapter,
      MappingContext<
              ? extends KeyValuePersistentEntity<?, ?>, ? extends KeyValuePersistentProperty<?>>
          context) {
    super(adapter, context);
    this.adapter = adapter;
    setExceptionTranslator(new HowdahExceptionTranslator());
  }

  /** Opens the map of an entity class, which its first use would do otherwise. */
  public void open(Class<?> entity) {
    adapter.open(entity);
  }

  /**
   * Puts an entity that is not there yet.
   *
   * @throws org.springframework.dao.DuplicateKeyException if there is one with this key
   */
  @Override
  public <T> T insert(Object id, T entity) {
    return ScopedValue.where(INSERTING, true).call(() -> super.insert(id, entity));
  }

  @Override
  public <T> @Nullable T execute(KeyValueCallback<T> action) {
    return INSERTING.isBound()
        ? super.execute(plain -> adapter.inOneTransaction(() -> action.doInKeyValue(plain)))
        : super.execute(action);
  }

  /** Does nothing: what this overrides removes all entities, as if they were of one process. */
  @Override
  public void destroy() {}
}
