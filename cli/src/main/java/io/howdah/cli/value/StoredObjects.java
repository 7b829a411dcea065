package io.howdah.cli.value;

import io.howdah.txn.Tx;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The objects of a store, as {@code StoreAdmin.properties} shows them. */
@FunctionalInterface
public interface StoredObjects {

  /** Returns the properties of an object by their names; empty if it is no longer there. */
  Optional<Map<String, @Nullable Object>> properties(Tx tx, String type, long reference);
}
