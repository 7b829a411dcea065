package io.howdah.collections.index;

import io.howdah.codec.OrderedCodec;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An index that a program has declared, with its codec in this store.
 *
 * @param declaration what the program has passed, which messages name
 * @param name the index's own name
 * @param isUnique whether one entry at most may have a key
 * @param function from a value to its key in the index; null for none
 * @param codec of these keys
 */
public record DeclaredIndex<V, X>(
    Object declaration,
    String name,
    boolean isUnique,
    Function<? super V, ? extends @Nullable X> function,
    OrderedCodec<X> codec) {

  /** Returns the type of the index in the catalogue once it is whole. */
  public String type(String mapKeys) {
    return IndexCatalogue.type(isUnique, codec.name(), mapKeys);
  }

  @Override
  public String toString() {
    return declaration.toString();
  }
}
