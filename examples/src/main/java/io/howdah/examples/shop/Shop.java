package io.howdah.examples.shop;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.Range;
import io.howdah.examples.shop.RefusedException.Reason;
import io.howdah.txn.Tx;
import java.lang.invoke.MethodHandles;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;

/**
 * The service. Each method is a transaction, and what it has changed is durable when it returns.
 * Thread-safe.
 */
final class Shop {

  private static final int DELIVERY_BATCH = 50;
  private static final Index<Order, Order.Key> BY_CUSTOMER =
      Index.of("by customer", Order::key, Order.Key.class);

  private final Store store;
  private final PersistentMap<String, Customer> customers;
  private final PersistentSortedMap<String, Article> articles;
  private final PersistentMap<UUID, Order> orders;
  private final PersistentQueue<UUID> unpacked;
  private final PersistentMap<String, Integer> deliveries;

  /** Opens the shop in a store, which its owner closes. */
  Shop(Store store) {
    this.store = store;
    customers = store.map("customers", String.class, Customer.class);
    articles = store.sortedMap("articles", String.class, Article.class);
    orders = store.map("orders", UUID.class, Order.class, BY_CUSTOMER);
    unpacked = store.queue("unpacked", UUID.class);
    deliveries = store.map("deliveries", String.class, Integer.class);
  }

  /** Returns how the shop's store is opened: all that it says of codecs is here. */
  static StoreOptions options() {
    return StoreOptions.defaults()
        .withAdminSocket(true) // howdah backup works while the shop is open
        .withCodecs(
            CodecRegistry.defaults()
                .withLookup(MethodHandles.lookup())
                .withAdded(Customer.class, "country", "EE")
                .withComponent(Order.Key.class, "placed", Codecs.descending(Codecs.instant())));
  }

  /** Adds a customer, or replaces what is known of one. */
  void register(String id, Customer customer) {
    store.run(tx -> customers.put(tx, id, customer));
  }

  Optional<Customer> customer(String id) {
    return store.read(tx -> Optional.ofNullable(customers.get(tx, id)));
  }

  /**
   * Places an order: stock, order and queue change together. The customer chooses the id, so an
   * order that is sent again because its answer was lost is placed once.
   *
   * @param pieces of each article
   * @throws RefusedException if there is no such customer or article, or not enough of it
   */
  Order place(UUID id, String customer, SortedMap<String, Integer> pieces, Instant now) {
    return store.call(
        tx -> {
          Order placed = orders.get(tx, id);
          if (placed != null) {
            require(placed.isFor(customer, pieces), Reason.CONFLICT, "another order has this id");
            return placed;
          }
          require(customers.containsKey(tx, customer), Reason.UNKNOWN, "no customer " + customer);
          List<LineItem> lines = new ArrayList<>();
          pieces.forEach((article, wanted) -> lines.add(take(tx, article, wanted)));
          Order order = new Order(customer, now, lines, Optional.empty());
          orders.put(tx, id, order);
          unpacked.add(tx, id);
          return order;
        });
  }

  /** Takes pieces out of stock, in the transaction of the order that they are for. */
  private LineItem take(Tx tx, String name, int pieces) {
    Article article = articles.get(tx, name);
    if (article == null) {
      throw new RefusedException(Reason.UNKNOWN, "no article " + name);
    }
    require(
        article.stock() >= pieces,
        Reason.CONFLICT,
        "only " + article.stock() + " of " + name + " in stock");
    articles.put(tx, name, article.without(pieces));
    return new LineItem(name, pieces, article.price());
  }

  Optional<Order> order(UUID id) {
    return store.read(tx -> Optional.ofNullable(orders.get(tx, id)));
  }

  /** Returns a customer's orders from a time back, the newest first. */
  List<Map.Entry<UUID, Order>> ordersOf(String customer, Instant until, int limit) {
    Order.Key from = new Order.Key(customer, until);
    Order.Key to = new Order.Key(customer, Instant.MIN);
    return store.read(tx -> orders.index(BY_CUSTOMER).range(tx, from, to).limit(limit).toList());
  }

  /** Takes the order that waits longest and ships it, if one waits. */
  Optional<UUID> ship(Instant now) {
    return store.call(
        tx -> {
          UUID id = unpacked.poll(tx);
          if (id != null) {
            orders.computeIfPresent(tx, id, (_, order) -> order.shippedAt(now));
          }
          return Optional.ofNullable(id);
        });
  }

  long waiting() {
    return store.read(unpacked::size);
  }

  /** Returns the articles in the order of their names, from a name on. */
  List<Map.Entry<String, Article>> articles(String from, int limit) {
    return store.read(tx -> articles.range(tx, Range.from(from)).limit(limit).toList());
  }

  /**
   * Takes a delivery into stock, in small transactions. Each of them remembers how far it came, so
   * a delivery that was stopped continues, and one that is there is not taken twice.
   */
  void receive(Delivery delivery) {
    List<Map.Entry<String, Article>> rows = delivery.rows();
    boolean isDone;
    do {
      isDone =
          store.call(
              tx -> {
                int from = deliveries.getOrDefault(tx, delivery.name(), 0);
                int to = Math.min(from + DELIVERY_BATCH, rows.size());
                for (int row = from; row < to; row++) {
                  Map.Entry<String, Article> next = rows.get(row);
                  articles.merge(tx, next.getKey(), next.getValue(), Article::with);
                }
                deliveries.put(tx, delivery.name(), Math.max(from, to));
                return to >= rows.size();
              });
    } while (!isDone);
  }

  private static void require(boolean holds, Reason reason, String otherwise) {
    if (!holds) {
      throw new RefusedException(reason, otherwise);
    }
  }
}
