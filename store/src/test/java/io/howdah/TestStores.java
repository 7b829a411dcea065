package io.howdah;

import io.howdah.collections.catalogue.Catalogue;
import io.howdah.store.open.OpenedStore;
import io.howdah.txn.stm.TxEnvironment;

/** Makes stores of what a test has put together. */
public final class TestStores {

  private TestStores() {}

  /** Returns a store of these parts. */
  public static Store of(OpenedStore opened, StoreOptions options) {
    return new Store(opened, options);
  }

  /** Returns what a store's transactions work on. */
  public static TxEnvironment engine(Store store) {
    return store.engine();
  }

  /** Returns the names of a store's collections. */
  public static Catalogue catalogue(Store store) {
    return store.catalogue();
  }
}
