package io.howdah.examples.orderbook;

import io.howdah.Store;
import io.howdah.chroniclebytes.MarshallableCodec;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.examples.Check;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A limit order book: bids and asks in sorted maps, best price first, then first come first served.
 * An order that comes in, the trades it leads to and what rests of it are one transaction.
 */
public final class OrderBook {

  private static final int ORDERS = 100_000;
  private static final int BATCH = 50;
  private static final int ID_BITS = 32;

  private final Store store;
  private final PersistentSortedMap<Long, Order> bids;
  private final PersistentSortedMap<Long, Order> asks;
  private final PersistentCounter offered;
  private final PersistentCounter traded;

  private OrderBook(Store store) {
    this.store = store;
    Codec<Order> orders = MarshallableCodec.of(Order.class, Order::new);
    bids = store.sortedMap("bids", Codec.int64(), orders);
    asks = store.sortedMap("asks", Codec.int64(), orders);
    offered = store.counter("offered");
    traded = store.counter("traded");
  }

  /** Trades, then opens the book again. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    String before;
    try (Store store = Store.open(folder)) {
      OrderBook book = new OrderBook(store);
      long started = System.nanoTime();
      book.trade();
      double seconds = (System.nanoTime() - started) / 1e9;
      before = book.describe();
      System.out.printf("%,d orders, %,.0f a second%n%s%n", ORDERS, ORDERS / seconds, before);
    }
    try (Store store = Store.open(folder)) {
      OrderBook book = new OrderBook(store);
      Check.that(book.describe().equals(before), "the book has changed while it was closed");
      book.requireEveryPieceIsThere();
    }
  }

  private void trade() {
    SplittableRandom random = new SplittableRandom(11);
    for (int first = 0; first < ORDERS; first += BATCH) {
      Order[] batch = new Order[BATCH];
      for (int i = 0; i < BATCH; i++) {
        boolean isBuy = random.nextBoolean();
        long price = 100_00L + random.nextInt(-200, 200) - (isBuy ? 60 : -60);
        batch[i] =
            Order.of(
                first + i, "trader" + random.nextInt(50), isBuy, price, random.nextInt(1, 100));
      }
      store.run(
          TxOptions.async(),
          tx -> {
            for (Order order : batch) {
              place(tx, order);
            }
          });
    }
  }

  /** Bids are kept by falling price, asks by rising price; of equal ones the older comes first. */
  private static long key(Order order) {
    return (order.isBuy ? -order.price : order.price) << ID_BITS | order.id;
  }

  private void place(Tx tx, Order order) {
    PersistentSortedMap<Long, Order> others = order.isBuy ? asks : bids;
    long left = order.quantity;
    offered.add(tx, left);
    while (left > 0) {
      Map.Entry<Long, Order> best = others.first(tx);
      if (best == null || !crosses(order, best.getValue())) {
        break;
      }
      Order other = best.getValue();
      long quantity = Math.min(left, other.quantity);
      left -= quantity;
      traded.add(tx, quantity);
      other.quantity -= quantity;
      if (other.quantity == 0) {
        others.remove(tx, best.getKey());
      } else {
        others.put(tx, best.getKey(), other);
      }
    }
    if (left > 0) {
      // The body may run again, so the order itself stays as it came.
      Order rest = Order.of(order.id, order.trader, order.isBuy, order.price, left);
      (order.isBuy ? bids : asks).put(tx, key(rest), rest);
    }
  }

  private static boolean crosses(Order order, Order other) {
    return order.isBuy ? order.price >= other.price : order.price <= other.price;
  }

  private String describe() {
    return store.read(
        tx ->
            "bid %s | ask %s | %,d pieces traded, %,d bids and %,d asks wait"
                .formatted(
                    show(bids.first(tx)),
                    show(asks.first(tx)),
                    traded.get(tx),
                    bids.size(tx),
                    asks.size(tx)));
  }

  private static String show(Map.@Nullable Entry<Long, Order> entry) {
    if (entry == null) {
      return "none";
    }
    Order order = entry.getValue();
    return "%d at %.2f of %s".formatted(order.quantity, order.price / 100.0, order.trader);
  }

  /** Whatever was offered waits or was traded, and what was traded was offered by two. */
  private void requireEveryPieceIsThere() {
    store.run(
        TxOptions.defaults().withReadOnly(),
        tx -> {
          long waiting =
              bids.values(tx).mapToLong(o -> o.quantity).sum()
                  + asks.values(tx).mapToLong(o -> o.quantity).sum();
          Check.that(waiting + 2 * traded.get(tx) == offered.get(tx), "pieces are missing");
          Map.Entry<Long, Order> bid = bids.first(tx);
          Map.Entry<Long, Order> ask = asks.first(tx);
          boolean isCrossed = bid != null && ask != null && crosses(bid.getValue(), ask.getValue());
          Check.that(!isCrossed, "a bid and an ask should have traded");
        });
  }
}
