package io.howdah.springdata;

import io.howdah.Store;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.domain.Sort;
import org.springframework.data.keyvalue.core.AbstractKeyValueAdapter;
import org.springframework.data.keyvalue.core.ForwardingCloseableIterator;
import org.springframework.data.keyvalue.core.mapping.KeyValuePersistentEntity;
import org.springframework.data.keyvalue.core.mapping.KeyValuePersistentProperty;
import org.springframework.data.keyvalue.core.query.KeyValueQuery;
import org.springframework.data.mapping.context.MappingContext;
import org.springframework.data.util.CloseableIterator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Entities in the maps of a store, as Spring Data KeyValue works with them: a sorted map for each
 * keyspace. A method that returns many entities copies them to the heap. Thread-safe.
 */
final class HowdahKeyValueAdapter extends AbstractKeyValueAdapter {

  private final Store store;
  private final MappingContext<
          ? extends KeyValuePersistentEntity<?, ?>, ? extends KeyValuePersistentProperty<?>>
      context;
  private final ConcurrentMap<String, EntityMap> maps = new ConcurrentHashMap<>();

  HowdahKeyValueAdapter(
      Store store,
      MappingContext<
              ? extends KeyValuePersistentEntity<?, ?>, ? extends KeyValuePersistentProperty<?>>
          context) {
    super(new ConditionQueryEngine());
    this.store = store;
    this.context = context;
  }

  // ---- The maps.

  /** Opens the map of an entity class. */
  void open(Class<?> type) {
    EntityMap _ = map(context.getRequiredPersistentEntity(type).getRequiredKeySpace());
  }

  private EntityMap map(String keyspace) {
    EntityMap known = maps.get(keyspace);
    return known != null ? known : maps.computeIfAbsent(keyspace, this::openMap);
  }

  private EntityMap openMap(String keyspace) {
    List<KeyValuePersistentEntity<?, ?>> entities = new ArrayList<>();
    for (KeyValuePersistentEntity<?, ?> entity : context.getPersistentEntities()) {
      if (entity.hasIdProperty() && keyspace.equals(entity.getKeySpace())) {
        entities.add(entity);
      }
    }
    if (entities.size() != 1) {
      throw new InvalidDataAccessApiUsageException(
          entities.isEmpty()
              ? "no entity with an @Id belongs to the keyspace " + keyspace
              : "the keyspace "
                  + keyspace
                  + " belongs to one class of entities, not to all of "
                  + entities.stream().map(each -> each.getType().getName()).toList());
    }
    return EntityMap.open(store, keyspace, entities.getFirst(), context);
  }

  // ---- Transactions.

  private <T extends @Nullable Object> T read(TxFunction<T, RuntimeException> body) {
    StoreTransaction running = StoreTransaction.of(store);
    return running == null ? store.read(body) : body.call(running.tx());
  }

  private <T extends @Nullable Object> T change(TxFunction<T, RuntimeException> body) {
    StoreTransaction running = StoreTransaction.of(store);
    return running == null ? store.call(body) : body.call(running.tx());
  }

  /** Calls what calls methods of this adapter, in one transaction, perhaps several times. */
  <T extends @Nullable Object> T inOneTransaction(Supplier<T> calls) {
    return change(tx -> StoreTransaction.of(store) != null ? calls.get() : within(tx, calls));
  }

  private <T extends @Nullable Object> T within(Tx tx, Supplier<T> calls) {
    StoreTransaction running = new StoreTransaction(null, tx);
    TransactionSynchronizationManager.bindResource(store, running);
    try {
      T result = calls.get();
      if (running.isRollbackOnly()) {
        throw tx.abort("a part of the transaction has failed, so all of it was rolled back");
      }
      return result;
    } finally {
      Object _ = TransactionSynchronizationManager.unbindResource(store);
    }
  }

  // ---- One entity.

  @Override
  @SuppressWarnings("NullAway") // the transaction's result may be null
  public @Nullable Object put(Object id, Object item, String keyspace) {
    EntityMap map = map(keyspace);
    map.requireEntity(item);
    return change(tx -> map.put(tx, id, item));
  }

  @Override
  public boolean contains(Object id, String keyspace) {
    EntityMap map = map(keyspace);
    return read(tx -> map.contains(tx, id));
  }

  @Override
  @SuppressWarnings("NullAway") // the transaction's result may be null
  public @Nullable Object get(Object id, String keyspace) {
    EntityMap map = map(keyspace);
    return read(tx -> map.get(tx, id));
  }

  @Override
  @SuppressWarnings("NullAway") // the transaction's result may be null
  public @Nullable Object delete(Object id, String keyspace) {
    EntityMap map = map(keyspace);
    return change(tx -> map.remove(tx, id));
  }

  // ---- Many.

  @Override
  public Iterable<Object> getAllOf(String keyspace) {
    EntityMap map = map(keyspace);
    return read(tx -> map.values(tx).toList());
  }

  @Override
  public CloseableIterator<Map.Entry<Object, Object>> entries(String keyspace) {
    EntityMap map = map(keyspace);
    Iterator<Map.Entry<Object, Object>> all = read(tx -> map.entries(tx).toList()).iterator();
    return new ForwardingCloseableIterator<>(all);
  }

  @Override
  public void deleteAllOf(String keyspace) {
    EntityMap map = map(keyspace);
    boolean _ =
        change(
            tx -> {
              map.clear(tx);
              return true;
            });
  }

  /** Removes the entities of all keyspaces that were used so far. */
  @Override
  public void clear() {
    maps.keySet().forEach(this::deleteAllOf);
  }

  @Override
  public long count(String keyspace) {
    EntityMap map = map(keyspace);
    return read(map::size);
  }

  @Override
  public boolean exists(KeyValueQuery<?> query, String keyspace) {
    return !search(keyspace, Condition.of(query.getCriteria()), Sort.unsorted(), 0, 1).isEmpty();
  }

  /**
   * Returns entities, in an order.
   *
   * @param skipped the number of entities before the first; less than 0 for none
   * @param most the number of entities at most; 0 or less for all
   */
  List<Object> search(
      String keyspace, @Nullable Condition condition, Sort sort, long skipped, int most) {
    EntityMap map = map(keyspace);
    return read(tx -> new EntitySearch(map, tx).find(condition, sort, skipped, most));
  }

  /** Counts entities. */
  long count(String keyspace, @Nullable Condition condition) {
    EntityMap map = map(keyspace);
    return read(tx -> new EntitySearch(map, tx).count(condition));
  }

  /** Does nothing: the store has a bean of its own. */
  @Override
  public void destroy() {}
}
