package shop;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;

/** Counts its visitors durably: {@code shop DIR} says how many there were, this one included. */
public final class Shop {

  /** What the shop knows of a customer. */
  @Persistent
  public interface Customer {
    /** Returns how often the customer came. */
    int visits();

    /** Sets how often the customer came. */
    void visits(int value);
  }

  private Shop() {}

  /** Opens the shop once. */
  public static void main(String[] args) {
    try (Store store = Store.open(Path.of(args[0]))) {
      PersistentMap<String, Long> counts = store.map("counts", Codec.utf8(), Codec.int64());
      PersistentType<Customer> type = store.type(Customer.class, MethodHandles.lookup());
      PersistentMap<String, Customer> customers =
          store.map("customers", Codec.utf8(), type.codec());
      int visits =
          store.call(
              tx -> {
                counts.merge(tx, "visitors", 1L, Long::sum);
                Customer alice = customers.get(tx, "alice");
                if (alice == null) {
                  alice = type.create(tx);
                  customers.put(tx, "alice", alice);
                }
                alice.visits(alice.visits() + 1);
                return alice.visits();
              });
      long visitors = store.read(tx -> counts.getOrDefault(tx, "visitors", 0L));
      String path = Shop.class.getModule().isNamed() ? "module" : "class";
      System.out.println("visitor " + visitors + ", visit " + visits + " on the " + path + " path");
    }
  }
}
