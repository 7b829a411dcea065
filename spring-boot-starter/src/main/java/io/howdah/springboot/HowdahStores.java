package io.howdah.springboot;

import io.howdah.Store;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * All stores of the application by their names: that of the property, or that of the bean of a
 * store which the application has made itself. Thread-safe.
 */
public final class HowdahStores {

  private final SortedMap<String, Store> stores;

  HowdahStores(ListableBeanFactory beans) {
    SortedMap<String, Store> found = new TreeMap<>();
    beans
        .getBeansOfType(Store.class)
        .forEach((bean, store) -> found.put(StoreBeans.name(beans, bean), store));
    this.stores = Collections.unmodifiableSortedMap(found);
  }

  /** Returns the stores by their names; they cannot be changed. */
  public Map<String, Store> all() {
    return stores;
  }

  /** Returns the store of a name. */
  public Optional<Store> get(String name) {
    return Optional.ofNullable(stores.get(name));
  }
}
