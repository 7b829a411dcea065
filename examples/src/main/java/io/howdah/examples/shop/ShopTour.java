package io.howdah.examples.shop;

import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.examples.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** What the shop does, in a few seconds: orders, a kill, a restart, a shipment and a backup. */
final class ShopTour {

  private static final UUID FIRST = new UUID(0x7c9e667974254000L, 0x8000000000000001L);
  private static final UUID SECOND = new UUID(0x7c9e667974254000L, 0x8000000000000002L);

  private ShopTour() {}

  static void show(Path folder) throws IOException, InterruptedException {
    Path data = folder.resolve("store");
    Path table = folder.resolve("delivery-1.tsv");
    Files.writeString(table, "teapot\t24.50\t12\ncup\t4.00\t60\n");
    try (ShopProcess shop = ShopProcess.start(data, table)) {
      shop.get("PUT", "/customers/alice", "name=Alice&email=alice@example.org&country=EE");
      shop.get("PUT", "/orders/" + FIRST, "customer=alice&line=teapot:1&line=cup:6");
      shop.get("PUT", "/orders/" + SECOND, "customer=alice&line=cup:2");
      shop.kill();
    }
    // The table is given again: a delivery that is there is not taken twice.
    try (ShopProcess shop = ShopProcess.start(data, table)) {
      System.out.println("killed and started again:");
      System.out.println(shop.get("GET", "/customers/alice/orders", ""));
      String articles = shop.get("GET", "/articles", "");
      System.out.println(articles);
      Check.that(
          articles.equals("cup: 4.00, 52 in stock\nteapot: 24.50, 11 in stock"),
          "stock and orders disagree");
      String shipped = shop.get("POST", "/shipments", "");
      System.out.println(shipped);
      Check.that(shipped.equals("shipped " + FIRST), "the first order is not shipped first");
      shop.stop();
    }
    Path backup = folder.resolve("backup");
    try (Store store = Store.open(data, Shop.options())) {
      store.admin().backup(backup);
    }
    Path copy = folder.resolve("copy");
    StoreBackups.restore(backup, copy, OptionalLong.empty());
    try (Store store = Store.open(copy, Shop.options())) {
      Optional<Order> order = new Shop(store).order(FIRST);
      Check.that(order.flatMap(Order::shipped).isPresent(), "the backup lacks the shipment");
      System.out.println("the backup has the shipment");
    }
  }
}
