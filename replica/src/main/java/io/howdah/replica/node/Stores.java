package io.howdah.replica.node;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.store.open.OpenedStore;
import io.howdah.store.open.StoreFactory;
import java.lang.invoke.MethodHandles;

/** Makes stores of parts. */
final class Stores {

  static {
    // The class Store tells its package's factory how a store is made.
    try {
      MethodHandles.lookup().ensureInitialized(Store.class);
    } catch (IllegalAccessException e) {
      throw new AssertionError("the class is public", e);
    }
  }

  private Stores() {}

  static Store make(OpenedStore parts, StoreOptions options) {
    return (Store) StoreFactory.make(parts, options);
  }
}
