package io.howdah.storetest;

import io.howdah.Store;

/** What a crash test does with a store that is open. The test opens and closes the store. */
@FunctionalInterface
public interface StoreBody {

  /** Uses the store, which is closed afterwards. */
  void use(Store store) throws Exception;
}
