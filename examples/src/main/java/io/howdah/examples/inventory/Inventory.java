package io.howdah.examples.inventory;

import io.howdah.Receipt;
import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.examples.Check;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;

/**
 * An event-driven shop, after the server of Hathi's split-phase commit: one thread, no waits. Each
 * order is a transaction that commits in memory at once; the customer hears of it only when the
 * commit is stable, and the loop serves others meanwhile. So the thread runs at the speed of
 * memory, and nobody is told of an order that a power cut could undo.
 */
public final class Inventory {

  private static final int PRODUCTS = 100;
  private static final int STOCK = 400;
  private static final int ORDERS = 50_000;
  private static final int MOST_UNANSWERED = 10_000;

  /** What an order came to: accepted, or out of stock. */
  private record Answer(int order, boolean isAccepted) {}

  private final Store store;
  private final PersistentMap<Integer, Integer> stock;

  /** Answers in the order of their LSNs, which is that of their becoming stable. */
  private final Queue<Receipt<Answer>> unanswered = new ArrayDeque<>();

  private int accepted;
  private int answered;
  private int most;

  private Inventory(Store store) {
    this.store = store;
    stock = store.map("stock", Codec.int32(), Codec.int32());
  }

  /** Serves orders, once in split phases and once waiting for each. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    try (Store store = Store.open(folder)) {
      Inventory shop = new Inventory(store);
      shop.fill();
      double waiting = shop.rate(Durability.SYNC, ORDERS / 50);
      double split = shop.rate(Durability.ASYNC, ORDERS);
      System.out.printf(
          "waiting for each order: %,.0f orders/s; split-phase: %,.0f orders/s, at most %,d"
              + " unanswered%n",
          waiting, split, shop.most);
      shop.requireStock();
    }
    try (Store store = Store.open(folder)) {
      long left = store.read(new Inventory(store).stock::size);
      Check.that(left == PRODUCTS, "products are gone");
    }
  }

  private void fill() {
    store.run(
        tx -> {
          for (int product = 0; product < PRODUCTS; product++) {
            stock.put(tx, product, STOCK);
          }
        });
  }

  private double rate(Durability durability, int orders) {
    long started = System.nanoTime();
    loop(durability, orders);
    return orders / ((System.nanoTime() - started) / 1e9);
  }

  /** The event loop: an order comes in, answers go out, never is anything waited for. */
  private void loop(Durability durability, int orders) {
    SplittableRandom customers = new SplittableRandom(3);
    int before = answered;
    for (int order = 0; answered - before < orders; ) {
      if (order < orders && unanswered.size() < MOST_UNANSWERED) {
        unanswered.add(order(durability, order++, customers.nextInt(PRODUCTS)));
        most = Math.max(most, unanswered.size());
      }
      answer();
    }
  }

  private Receipt<Answer> order(Durability durability, int order, int product) {
    return store.callWithReceipt(
        TxOptions.of(durability),
        tx -> {
          int left = stock.getOrDefault(tx, product, 0);
          if (left > 0) {
            stock.put(tx, product, left - 1);
          }
          return new Answer(order, left > 0);
        });
  }

  /** Answers whoever can be answered. */
  private void answer() {
    Receipt<Answer> oldest = unanswered.peek();
    while (oldest != null && oldest.isStable()) {
      unanswered.remove();
      answered++;
      accepted += oldest.value().isAccepted() ? 1 : 0;
      oldest = unanswered.peek();
    }
  }

  private void requireStock() {
    int left = store.read(tx -> stock.values(tx).mapToInt(Integer::intValue).sum());
    Check.that(left + accepted == PRODUCTS * STOCK, "goods and answers do not add up");
    System.out.printf("%,d orders accepted, %,d pieces left%n", accepted, left);
  }
}
