package io.howdah;

import io.howdah.store.open.OpenedStore;

/** Makes stores of what a test has put together. */
public final class TestStores {

  private TestStores() {}

  /** Returns a store of these parts. */
  public static Store of(OpenedStore opened, StoreOptions options) {
    return new Store(opened, options);
  }
}
