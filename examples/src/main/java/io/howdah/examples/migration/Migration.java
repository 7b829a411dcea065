package io.howdah.examples.migration;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.examples.Check;
import io.howdah.txn.TxOptions;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Customers get a country and a year. A store refuses a record that is not the one it holds, and
 * says how they differ; the old entries move into a new map, batch by batch, and each batch leaves
 * the old map in the same transaction. Killed at any moment, the same code goes on.
 */
public final class Migration {

  private static final int CUSTOMERS = 10_000;
  private static final int BATCH = 500;

  /** What version 1 of the program kept. */
  record CustomerV1(String name, String address) {}

  /** What version 2 keeps. */
  record Customer(String name, String city, String country, int since) {

    static Customer of(CustomerV1 old) {
      int comma = old.address().indexOf(", ");
      String city = old.address().substring(0, comma);
      return new Customer(old.name(), city, old.address().substring(comma + 2), 2026);
    }
  }

  private static final Codec<CustomerV1> OLD = Codecs.of(MethodHandles.lookup(), CustomerV1.class);
  private static final Codec<Customer> NEW = Codecs.of(MethodHandles.lookup(), Customer.class);

  private Migration() {}

  /** Runs version 1, then version 2 twice: it is stopped in the middle of the migration. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    versionOne(folder);
    try (Store store = Store.open(folder)) {
      refusesTheNewRecord(store);
      migrate(store, 3);
    }
    try (Store store = Store.open(folder)) {
      migrate(store, Integer.MAX_VALUE);
      PersistentSortedMap<Long, Customer> customers = customers(store);
      List<Map.Entry<Long, Customer>> all = store.read(tx -> customers.entries(tx).toList());
      Check.that(all.size() == CUSTOMERS, all.size() + " customers are left");
      for (Map.Entry<Long, Customer> entry : all) {
        long id = entry.getKey();
        Customer expected = new Customer("customer " + id, "city " + id % 97, "EE", 2026);
        Check.that(entry.getValue().equals(expected), "customer " + id + " has changed");
      }
      System.out.printf("%,d customers, the first is %s%n", all.size(), all.getFirst().getValue());
    }
  }

  private static void versionOne(Path folder) {
    try (Store store = Store.open(folder)) {
      PersistentSortedMap<Long, CustomerV1> customers =
          store.sortedMap("customers", Codec.int64(), OLD);
      store.run(
          tx -> {
            for (long id = 0; id < CUSTOMERS; id++) {
              customers.put(tx, id, new CustomerV1("customer " + id, "city " + id % 97 + ", EE"));
            }
          });
    }
  }

  private static void refusesTheNewRecord(Store store) {
    try {
      store.sortedMap("customers", Codec.int64(), NEW);
    } catch (CollectionMismatchException e) {
      System.out.println("refused: " + e.getMessage());
      return;
    }
    throw new IllegalStateException("a record of another shape was not refused");
  }

  private static PersistentSortedMap<Long, Customer> customers(Store store) {
    return store.sortedMap("customers.2", Codec.int64(), NEW);
  }

  private static void migrate(Store store, int mostBatches) {
    if (!store.read(tx -> store.admin().collections(tx).containsKey("customers"))) {
      return; // done before
    }
    PersistentSortedMap<Long, CustomerV1> from = store.sortedMap("customers", Codec.int64(), OLD);
    PersistentSortedMap<Long, Customer> to = customers(store);
    for (int batch = 0; batch < mostBatches; batch++) {
      boolean isEmpty =
          store.call(
              TxOptions.async(),
              tx -> {
                List<Map.Entry<Long, CustomerV1>> next = from.entries(tx).limit(BATCH).toList();
                for (Map.Entry<Long, CustomerV1> entry : next) {
                  to.put(tx, entry.getKey(), Customer.of(entry.getValue()));
                  from.remove(tx, entry.getKey());
                }
                return next.isEmpty();
              });
      if (isEmpty) {
        Check.that(store.admin().drop("customers"), "the old map is gone already");
        return;
      }
    }
    System.out.printf(
        "stopped: %,d moved, %,d to go%n", store.read(to::size), store.read(from::size));
  }
}
