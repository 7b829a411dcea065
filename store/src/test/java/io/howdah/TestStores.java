package io.howdah;

import io.howdah.collections.catalogue.Catalogue;
import io.howdah.store.open.OpenedStore;
import io.howdah.txn.stm.TxEnvironment;
import java.util.function.Supplier;

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

  /** Returns what a store of these options keeps for its lifetime. */
  public static OpenedStore.Dimensions dimensions(StoreOptions options) {
    return options.dimensions();
  }

  /** Returns what is thrown if there is no memory to say more, and none for a smaller exception. */
  public static NotYetDurableException withoutMemory(Supplier<Receipt<?>> newest) {
    NotYetDurableException made = NotYetDurableException.withoutMemory(newest);
    NotYetDurableException again = made.of(null);
    if (!again.equals(made)) {
      throw new AssertionError("another exception was made");
    }
    return again;
  }
}
