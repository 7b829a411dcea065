package io.howdah.springdata;

import io.howdah.Store;
import io.howdah.collections.Index;
import io.howdah.collections.MapOption;
import io.howdah.collections.PersistentIndex;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.Range;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.core.PropertyPath;
import org.springframework.data.keyvalue.core.mapping.KeyValuePersistentEntity;
import org.springframework.data.mapping.PersistentEntity;
import org.springframework.data.mapping.PersistentProperty;
import org.springframework.data.mapping.context.MappingContext;
import org.springframework.util.ClassUtils;

/** The map of one class of entities, with its indexes. Thread-safe. */
final class EntityMap {

  private final PersistentEntity<?, ?> entity;
  private final MappingContext<?, ?> context;
  private final PersistentSortedMap<Object, Object> map;
  private final Map<String, PersistentIndex<Object, Object, Object>> indexes;

  private EntityMap(
      PersistentEntity<?, ?> entity,
      MappingContext<?, ?> context,
      PersistentSortedMap<Object, Object> map,
      Map<String, PersistentIndex<Object, Object, Object>> indexes) {
    this.entity = entity;
    this.context = context;
    this.map = map;
    this.indexes = Map.copyOf(indexes);
  }

  /** Opens the map, or creates it. */
  static EntityMap open(
      Store store,
      String name,
      KeyValuePersistentEntity<?, ?> entity,
      MappingContext<?, ?> context) {
    Map<String, Index<Object, Object>> declared = new HashMap<>();
    for (PersistentProperty<?> property : entity) {
      Indexed indexed = property.findAnnotation(Indexed.class);
      if (indexed != null) {
        declared.put(property.getName(), index(entity, property, indexed.unique()));
      }
    }
    PersistentSortedMap<Object, Object> map =
        store.sortedMap(
            name,
            boxed(entity.getRequiredIdProperty().getType()),
            boxed(entity.getType()),
            options(declared.values()));
    Map<String, PersistentIndex<Object, Object, Object>> indexes = new HashMap<>();
    declared.forEach((property, index) -> indexes.put(property, map.index(index)));
    return new EntityMap(entity, context, map, indexes);
  }

  private static Index<Object, Object> index(
      PersistentEntity<?, ?> entity, PersistentProperty<?> property, boolean isUnique) {
    Class<Object> type = boxed(property.getType());
    return isUnique
        ? Index.unique(property.getName(), value -> value(entity, value, property), type)
        : Index.of(property.getName(), value -> value(entity, value, property), type);
  }

  private static @Nullable Object value(
      PersistentEntity<?, ?> entity, Object bean, PersistentProperty<?> property) {
    return entity.getPropertyAccessor(bean).getProperty(property);
  }

  @SuppressWarnings("unchecked") // what has this type goes into the map and comes out of it
  private static Class<Object> boxed(Class<?> type) {
    return (Class<Object>) ClassUtils.resolvePrimitiveIfNecessary(type);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // no array has a type with arguments
  private static MapOption<Object>[] options(Collection<Index<Object, Object>> indexes) {
    return indexes.toArray(new MapOption[0]);
  }

  /** Refuses an object of another class, which would have another keyspace. */
  void requireEntity(Object item) {
    if (!entity.getType().isInstance(item)) {
      throw new InvalidDataAccessApiUsageException(
          map + " has entities of " + entity.getType().getName() + ", not of " + item.getClass());
    }
  }

  @Nullable Object get(Tx tx, Object id) {
    return map.get(tx, id);
  }

  boolean contains(Tx tx, Object id) {
    return map.containsKey(tx, id);
  }

  /** Puts an entity, and returns the one that was there. */
  @Nullable Object put(Tx tx, Object id, Object item) {
    Object former = map.get(tx, id);
    map.put(tx, id, item);
    return former;
  }

  /** Removes an entity, and returns it. */
  @Nullable Object remove(Tx tx, Object id) {
    Object former = map.get(tx, id);
    if (former != null) {
      boolean _ = map.remove(tx, id);
    }
    return former;
  }

  void clear(Tx tx) {
    map.clear(tx);
  }

  long size(Tx tx) {
    return map.size(tx);
  }

  /** Returns all entities in the order of their keys. */
  Stream<Object> values(Tx tx) {
    return map.values(tx);
  }

  Stream<Map.Entry<Object, Object>> entries(Tx tx) {
    return map.entries(tx);
  }

  /** Returns the entities in the opposite order of their keys. */
  Stream<Object> descending(Tx tx) {
    return map.range(tx, Range.reversed(Range.all())).map(Map.Entry::getValue);
  }

  /** Returns whether a property is the key. */
  boolean isId(String property) {
    return entity.getRequiredIdProperty().getName().equals(property);
  }

  /** Returns the index of a property, or null. */
  @Nullable PersistentIndex<Object, Object, Object> index(String property) {
    return indexes.get(property);
  }

  /** Returns whether a value can be a key in the index of a property. */
  boolean isKey(String property, @Nullable Object value) {
    return boxed(entity.getRequiredPersistentProperty(property).getType()).isInstance(value);
  }

  /** Returns whether an index has all entities: one whose property is null is in none. */
  boolean isComplete(Tx tx, PersistentIndex<Object, Object, Object> index) {
    return index.size(tx) == map.size(tx);
  }

  /** Returns the property of an entity, or of what is in it; null where the path ends early. */
  @Nullable Object value(Object item, PropertyPath path) {
    Object value = item;
    for (PropertyPath part = path; part != null && value != null; part = part.next()) {
      value = part(value, part.getSegment());
    }
    return value;
  }

  /** Returns a property that is named with points between its parts. */
  @Nullable Object value(Object item, String path) {
    Object value = item;
    for (String part : List.of(path.split("\\.", -1))) {
      if (value == null) {
        break;
      }
      value = part(value, part);
    }
    return value;
  }

  private @Nullable Object part(Object bean, String name) {
    PersistentEntity<?, ?> type = context.getRequiredPersistentEntity(bean.getClass());
    return value(type, bean, type.getRequiredPersistentProperty(name));
  }

  /** Returns the name of the map, and the properties that have an index. */
  @Override
  public String toString() {
    return map + ", by " + new ArrayList<>(indexes.keySet());
  }
}
