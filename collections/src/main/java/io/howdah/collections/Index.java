package io.howdah.collections;

import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import io.howdah.collections.index.DeclaredIndex;
import io.howdah.collections.index.IndexCatalogue;
import io.howdah.collections.structure.CodecContract;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of an index: what the entries of a map are also found by. A program keeps it in a
 * constant, and gives it to each opening of the map; {@link KeyedCollection#index} returns what
 * searches it.
 *
 * {@snippet :
 * static final Index<Order, String> BY_CUSTOMER =
 *     Index.of("by customer", Order::customer, String.class);
 *
 * PersistentMap<UUID, Order> orders =
 *     store.map("orders", UUID.class, Order.class, BY_CUSTOMER);
 * PersistentIndex<String, UUID, Order> byCustomer = orders.index(BY_CUSTOMER);
 * store.run(tx -> byCustomer.entries(tx, "alice").forEach(System.out::println));
 * }
 *
 * <p>An index that a map with entries does not have yet is built before the opening returns, in
 * small transactions; if the program ends meanwhile, the next opening continues. If an entry cannot
 * be in it, the index is dropped, and the reason is thrown.
 *
 * <p>The function is called for each value that is put, replaced or removed, and when the index is
 * built, perhaps several times for one value. It must depend on the value alone, always give the
 * same, and not use the store. Where it returns null, the entry is not in the index. What it throws
 * ends the transaction, of which nothing happens then. A function that is to give something else
 * needs an index of another name: the store cannot see that it has changed.
 *
 * <p>Immutable, and thread-safe if the function is.
 *
 * @param <V> the values of the map
 * @param <X> what the index has them by
 */
public final class Index<V, X> implements MapOption<V> {

  private final String name;
  private final boolean isUnique;
  private final Function<? super V, ? extends @Nullable X> function;
  private final @Nullable OrderedCodec<X> codec;
  private final @Nullable Class<X> type;

  private Index(
      String name,
      boolean isUnique,
      Function<? super V, ? extends @Nullable X> function,
      @Nullable OrderedCodec<X> codec,
      @Nullable Class<X> type) {
    if (name.isEmpty() || name.indexOf(IndexCatalogue.SEPARATOR) >= 0) {
      throw new IllegalArgumentException(
          "an index has a name without \"" + IndexCatalogue.SEPARATOR + "\", not \"" + name + "\"");
    }
    this.name = name;
    this.isUnique = isUnique;
    this.function = function;
    this.codec = codec;
    this.type = type;
  }

  /**
   * Declares an index in which many entries may have one key.
   *
   * @param name at least 1 character, none of them "/"; with the map's name at most 254
   * @param function from a value to its key in the index; null for none
   * @param codec of these keys; gives the index its order
   */
  public static <V, X> Index<V, X> of(
      String name, Function<? super V, ? extends @Nullable X> function, OrderedCodec<X> codec) {
    return new Index<>(name, false, function, codec, null);
  }

  /** Declares an index by a class, whose ordered codec is that of {@code StoreOptions.codecs}. */
  public static <V, X> Index<V, X> of(
      String name, Function<? super V, ? extends @Nullable X> function, Class<X> type) {
    return new Index<>(name, false, function, null, type);
  }

  /**
   * Declares an index in which one entry at most has a key; see {@link #of(String, Function,
   * OrderedCodec)}. A put that would add a second one throws {@link UniqueIndexException}.
   */
  public static <V, X> Index<V, X> unique(
      String name, Function<? super V, ? extends @Nullable X> function, OrderedCodec<X> codec) {
    return new Index<>(name, true, function, codec, null);
  }

  /** Declares a unique index by a class; see {@link #of(String, Function, Class)}. */
  public static <V, X> Index<V, X> unique(
      String name, Function<? super V, ? extends @Nullable X> function, Class<X> type) {
    return new Index<>(name, true, function, null, type);
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns whether one entry at most has a key. */
  public boolean isUnique() {
    return isUnique;
  }

  /** Returns the declaration with its codec in a store. */
  DeclaredIndex<V, X> declared(String map, DerivedCodecs codecs, Shapes keyShapes) {
    OrderedCodec<X> bound = CodecContract.bind(codec(map, codecs), keyShapes);
    return new DeclaredIndex<>(this, name, isUnique, function, bound);
  }

  private OrderedCodec<X> codec(String map, DerivedCodecs codecs) {
    if (codec != null) {
      return codec;
    }
    if (type == null) {
      throw new IllegalStateException("an index has a codec or a class");
    }
    return codecs.ordered(IndexCatalogue.name(map, name), "keys", type);
  }

  /** Returns the name, and whether it is unique. */
  @Override
  public String toString() {
    return (isUnique ? "unique index \"" : "index \"") + name + "\"";
  }
}
