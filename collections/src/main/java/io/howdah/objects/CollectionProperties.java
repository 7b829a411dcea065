package io.howdah.objects;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.collections.ObjectCollections;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The collections in the properties of an interface that is being opened, and of all that it leads
 * to. Their codecs are made here, before the transaction that stores layouts. Not thread-safe.
 */
final class CollectionProperties {

  private final ObjectCollections collections;
  private final Map<Class<?>, PersistentType<?>> open;
  private final Set<Class<?>> seen = new HashSet<>();
  private final Map<Method, ObjectCollections.Kind> kinds = new HashMap<>();
  private final Map<Method, List<Class<?>>> referred = new HashMap<>();

  /**
   * Creates one that knows no property.
   *
   * @param open the types that are open; they are passed over
   */
  CollectionProperties(ObjectCollections collections, Map<Class<?>, PersistentType<?>> open) {
    this.collections = collections;
    this.open = open;
  }

  /** Takes the properties of an interface, and of those that it leads to. */
  void find(Class<?> type) {
    if (!type.isAnnotationPresent(Persistent.class) || open.containsKey(type) || !seen.add(type)) {
      return;
    }
    for (Method method : type.getMethods()) {
      if (!Modifier.isAbstract(method.getModifiers())
          || method.isAnnotationPresent(NotPersistent.class)) {
        continue;
      }
      if (ObjectCollections.isPossible(method.getReturnType())) {
        addKind(method);
      } else {
        find(method.getReturnType());
      }
    }
  }

  private void addKind(Method getter) {
    List<Class<?>> objects = new ArrayList<>();
    try {
      kinds.put(
          getter,
          collections.kind(
              getter.getName(), getter.getGenericReturnType(), each -> reference(each, objects)));
    } catch (CodecException e) {
      throw new InvalidTypeException(
          "property "
              + getter.getName()
              + " of "
              + getter.getDeclaringClass().getName()
              + " cannot hold such a collection: "
              + e.getMessage(),
          e);
    }
    referred.put(getter, objects);
    objects.forEach(this::find);
  }

  /** Returns the codec of references to objects of an interface, which need not be open yet. */
  private <T> @Nullable Codec<T> reference(Class<T> type, List<Class<?>> objects) {
    if (!type.isAnnotationPresent(Persistent.class)) {
      return null;
    }
    objects.add(type);
    return new PersistentType.ReferenceCodec<>(type, () -> opened(type));
  }

  @SuppressWarnings("unchecked") // a class is the key of its own type
  private <T> PersistentType<T> opened(Class<T> type) {
    return (PersistentType<T>)
        Objects.requireNonNull(open.get(type), "opened with what refers to it");
  }

  /** Returns kind and codecs of a getter's collection; null if it returns something else. */
  @Nullable String type(Method getter) {
    ObjectCollections.Kind kind = kinds.get(getter);
    return kind == null ? null : kind.type();
  }

  /** Returns the interfaces to whose objects the collection of a getter refers. */
  List<Class<?>> referred(Method getter) {
    return referred.getOrDefault(getter, List.of());
  }

  Map<Method, ObjectCollections.Kind> kinds() {
    return kinds;
  }
}
