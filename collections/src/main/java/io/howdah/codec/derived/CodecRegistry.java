package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.FormerName;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.PersistentName;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Derives codecs from classes, by the rules of {@link Codecs#of(Class)} and those that a program
 * adds. Immutable: each {@code with} returns another one, so a program keeps one in a constant.
 */
public final class CodecRegistry {

  private static final CodecRegistry DEFAULTS =
      new CodecRegistry(null, Map.of(), Map.of(), Map.of(), Map.of(), Map.of());

  private record ComponentName(Class<?> type, String component) {
    @Override
    public String toString() {
      return type.getName() + "." + component;
    }
  }

  private final MethodHandles.@Nullable Lookup lookup;
  private final Map<Class<?>, Codec<?>> types;
  private final Map<Class<?>, TypeName> names;
  private final Map<ComponentName, Codec<?>> components;
  private final Map<ComponentName, Object> added;
  private final Map<ComponentName, List<RecordType.Retyped>> retyped;

  private CodecRegistry(
      MethodHandles.@Nullable Lookup lookup,
      Map<Class<?>, Codec<?>> types,
      Map<Class<?>, TypeName> names,
      Map<ComponentName, Codec<?>> components,
      Map<ComponentName, Object> added,
      Map<ComponentName, List<RecordType.Retyped>> retyped) {
    this.lookup = lookup;
    this.types = types;
    this.names = names;
    this.components = components;
    this.added = added;
    this.retyped = retyped;
  }

  /** Returns the one without rules of a program. */
  public static CodecRegistry defaults() {
    return DEFAULTS;
  }

  /**
   * Returns one that sees classes as the caller does.
   *
   * @param lookup {@code MethodHandles.lookup()}: needed in named modules, whose records Howdah
   *     does not see otherwise
   */
  public CodecRegistry withLookup(MethodHandles.Lookup lookup) {
    return new CodecRegistry(lookup, types, names, components, added, retyped);
  }

  /** Returns one with a codec for each value of a class, wherever it is. */
  public <T> CodecRegistry with(Class<T> type, Codec<T> codec) {
    return new CodecRegistry(lookup, and(types, type, codec), names, components, added, retyped);
  }

  /**
   * Returns one with the name of a class in stores, for classes that {@link PersistentName} cannot
   * be put on.
   *
   * @param formerNames as {@link FormerName}
   */
  public CodecRegistry withName(Class<?> type, String name, String... formerNames) {
    TypeName made =
        new TypeName(
            TypeName.require(type, name), List.of(formerNames), TypeName.of(type).version());
    return new CodecRegistry(lookup, types, and(names, type, made), components, added, retyped);
  }

  /**
   * Returns one with the codec of a record's component.
   *
   * @throws CodecException if the record has no such component
   */
  public CodecRegistry withComponent(Class<?> type, String component, Codec<?> codec) {
    return new CodecRegistry(
        lookup, types, names, and(components, name(type, component), codec), added, retyped);
  }

  /**
   * Returns one with the value that a component has in records which were stored without it.
   *
   * @throws CodecException if the record has no such component, or one that cannot have the value
   */
  public CodecRegistry withAdded(Class<?> type, String component, Object value) {
    ComponentName name = name(type, component);
    Class<?> valueType = valueTypes(type).get(component);
    if (valueType != null && !RecordType.isOf(valueType, value)) {
      throw new CodecException(
          "%s is a %s, and the value for records that were stored without it is a %s"
              .formatted(name, valueType.getName(), value.getClass().getName()));
    }
    return new CodecRegistry(lookup, types, names, components, and(added, name, value), retyped);
  }

  /**
   * Returns one with what becomes of a component that was stored with another codec.
   *
   * @param former the codec it had
   * @param converter from its values to the component's; it may be called again for the same value
   * @throws CodecException if the record has no such component
   */
  @SuppressWarnings("unchecked") // the converter gets what the codec decodes
  public <A> CodecRegistry withRetyped(
      Class<?> type, String component, Codec<A> former, Function<? super A, ?> converter) {
    ComponentName name = name(type, component);
    List<RecordType.Retyped> all = new ArrayList<>(retyped.getOrDefault(name, List.of()));
    all.add(new RecordType.Retyped(former, (Function<Object, @Nullable Object>) converter));
    return new CodecRegistry(
        lookup, types, names, components, added, and(retyped, name, List.copyOf(all)));
  }

  private static ComponentName name(Class<?> type, String component) {
    if (!valueTypes(type).containsKey(component)) {
      throw new CodecException("record " + type.getName() + " has no component " + component);
    }
    return new ComponentName(type, component);
  }

  /** Returns the names of the components of a class, and what class each one's values have. */
  private static Map<String, Class<?>> valueTypes(Class<?> type) {
    Map<String, Class<?>> found = new HashMap<>();
    if (type.isRecord()) {
      for (RecordComponent each : type.getRecordComponents()) {
        found.put(each.getName(), each.getType());
      }
    } else if (ClassDescribers.describe(type).orElse(null)
        instanceof ClassDescription.Composite composite) {
      composite.properties().forEach(each -> found.put(each.name(), each.type().type()));
    }
    return found;
  }

  private static <K, V> Map<K, V> and(Map<K, V> map, K key, V value) {
    Map<K, V> copy = new HashMap<>(map);
    copy.put(key, value);
    return Map.copyOf(copy);
  }

  /**
   * Returns the codec of a class; see {@link Codecs#of(Class)}.
   *
   * @throws CodecException if it has none; names the component
   */
  @SuppressWarnings("unchecked") // it is derived from the class
  public <T> Codec<T> of(Class<T> type) {
    return (Codec<T>) new Derivation(this, false).codec(type);
  }

  /**
   * Returns the codec of a class whose values have an order; see {@link Codecs#ordered(Class)}.
   *
   * @throws CodecException if it has none; names the component
   */
  @SuppressWarnings("unchecked") // it is derived from the class
  public <T> OrderedCodec<T> ordered(Class<T> type) {
    return (OrderedCodec<T>) new Derivation(this, true).codec(type);
  }

  // ---- For the derivation.

  @Nullable Codec<?> codec(Class<?> type) {
    return types.get(type);
  }

  TypeName name(Class<?> type) {
    TypeName name = names.get(type);
    return name != null ? name : TypeName.of(type);
  }

  @Nullable Codec<?> component(Class<?> type, String component) {
    return components.get(new ComponentName(type, component));
  }

  @Nullable Object added(Class<?> type, String component) {
    return added.get(new ComponentName(type, component));
  }

  List<RecordType.Retyped> retyped(Class<?> type, String component) {
    return retyped.getOrDefault(new ComponentName(type, component), List.of());
  }

  /** Returns a lookup that sees all of a class. */
  MethodHandles.Lookup lookup(Class<?> type) {
    try {
      if (lookup != null) {
        return MethodHandles.privateLookupIn(type, lookup);
      }
      Module own = Codec.class.getModule();
      own.addReads(type.getModule());
      // Of another module, such as that of another class loader, it sees all as well, but defines
      // no class.
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    } catch (IllegalAccessException e) {
      throw RecordClass.unseen(type, e);
    }
  }
}
