package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.catalogue.StoredShapes;
import io.howdah.collections.structure.CodecContract;
import io.howdah.collections.structure.CollectionHome;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.core.layout.ListLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Transactions;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The collections that objects of a store may have in their properties, from the types of these.
 * Stores use this; programs have the getters of their objects. Thread-safe.
 */
public final class ObjectCollections {

  private final Transactions transactions;
  private final DerivedCodecs codecs;
  private final StoredShapes shapes;
  private final StoredShapes keyShapes;

  ObjectCollections(
      Transactions transactions,
      DerivedCodecs codecs,
      StoredShapes shapes,
      StoredShapes keyShapes) {
    this.transactions = transactions;
    this.codecs = codecs;
    this.shapes = shapes;
    this.keyShapes = keyShapes;
  }

  /** Makes handles of the collections of one property. Thread-safe. */
  public static final class Kind {
    private final String type;
    private final Function<CollectionHome, PersistentCollection> handles;

    private Kind(String type, Function<CollectionHome, PersistentCollection> handles) {
      this.type = type;
      this.handles = handles;
    }

    /** Returns kind and codecs, as the catalogue writes them. */
    public String type() {
      return type;
    }

    /** Returns a handle for the transaction of an object. */
    public PersistentCollection at(CollectionHome home) {
      return handles.apply(home);
    }
  }

  /** Returns whether objects may have properties of a class. */
  public static boolean isPossible(Class<?> type) {
    return type == PersistentSortedMap.class || type == PersistentList.class;
  }

  /**
   * Returns the kind of a property. Its codecs may store the shapes of records, in transactions of
   * their own.
   *
   * @param property what messages call it
   * @param type of which {@link #isPossible} is true, with its type arguments
   * @param references returns the codec of references to a class of objects; null for other classes
   * @throws CodecException if it names no classes, or one of them has no codec
   */
  public Kind kind(String property, Type type, Function<Class<?>, @Nullable Codec<?>> references) {
    if (!(type instanceof ParameterizedType parameterised)) {
      throw new CodecException(property + " does not say of what, as PersistentList<String> does");
    }
    Type[] arguments = parameterised.getActualTypeArguments();
    return parameterised.getRawType() == PersistentList.class
        ? list(values(property, "elements", arguments[0], references))
        : sortedMap(
            codecs.ordered(property, "keys", requireClass(property, "keys", arguments[0])),
            values(property, "values", arguments[1], references));
  }

  private Codec<?> values(
      String property, String role, Type type, Function<Class<?>, @Nullable Codec<?>> references) {
    Class<?> values = requireClass(property, role, type);
    Codec<?> reference = references.apply(values);
    return reference != null ? reference : codecs.of(property, role, values);
  }

  private static Class<?> requireClass(String property, String role, Type type) {
    if (type instanceof Class<?> found) {
      return found;
    }
    throw new CodecException(
        "the "
            + role
            + " of \""
            + property
            + "\" cannot be "
            + type.getTypeName()
            + "; a record may have such a component, and be what they are");
  }

  private <E> Kind list(Codec<E> elements) {
    Codec<E> bound = CodecContract.bind(elements, shapes);
    FoundCollection none = none(PersistentList.type(bound), ListLayout.MAGIC);
    return new Kind(
        none.type(), home -> new PersistentList<>(transactions, none, bound, null, home));
  }

  private <K, V> Kind sortedMap(OrderedCodec<K> keys, Codec<V> values) {
    OrderedCodec<K> boundKeys = CodecContract.bind(keys, keyShapes);
    Codec<V> boundValues = CodecContract.bind(values, shapes);
    FoundCollection none =
        none(PersistentSortedMap.type(boundKeys, boundValues, null), TreeLayout.MAGIC);
    return new Kind(
        none.type(),
        home ->
            new PersistentSortedMap<>(
                transactions, none, boundKeys, boundValues, EntryChanges.none(), null, home));
  }

  /** Returns a collection that is not there yet. */
  private static FoundCollection none(String type, long magic) {
    return new FoundCollection("", type, 0, magic, 0, 0, 0);
  }
}
