package shop;

import io.howdah.txn.Store;
import java.nio.file.Path;

/** Counts its visitors durably: {@code shop DIR} says how many there were, this one included. */
public final class Shop {

  private static final int VISITORS = 0;

  private Shop() {}

  /** Opens the shop once. */
  public static void main(String[] args) {
    try (Store store = Store.open(Path.of(args[0]))) {
      long visitors =
          store.call(
              tx -> {
                if (tx.root(VISITORS) == 0) {
                  tx.root(VISITORS, tx.allocate(Long.BYTES));
                }
                long counter = tx.root(VISITORS);
                tx.putLong(counter, tx.getLong(counter) + 1);
                return tx.getLong(counter);
              });
      System.out.println(
          "visitor "
              + visitors
              + " on the "
              + (Shop.class.getModule().isNamed() ? "module" : "class")
              + " path");
    }
  }
}
