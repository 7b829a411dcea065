package io.howdah.store.open;

import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@code Store} of parts, for modules of the project that open one in a way of their own. A
 * program has no such parts. Thread-safe.
 */
public final class StoreFactory {

  private static volatile @Nullable BiFunction<OpenedStore, Object, AutoCloseable> maker;

  private StoreFactory() {}

  /**
   * Sets what makes stores; the class {@code Store} calls it when it is initialised.
   *
   * @param maker makes a store of parts and of its options
   */
  public static void makeBy(BiFunction<OpenedStore, Object, AutoCloseable> maker) {
    StoreFactory.maker = maker;
  }

  /**
   * Makes a store. The class {@code Store} must be initialised.
   *
   * @param parts owned by the store from then on
   * @param options a {@code StoreOptions}
   * @return a {@code Store}
   */
  public static AutoCloseable make(OpenedStore parts, Object options) {
    return Objects.requireNonNull(maker, "the class Store is not initialised")
        .apply(parts, options);
  }
}
