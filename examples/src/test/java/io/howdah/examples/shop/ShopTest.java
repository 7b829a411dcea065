package io.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.PersistentName;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.collections.PersistentMap;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the shop's methods promise. */
final class ShopTest {

  private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");
  private static final UUID ID = new UUID(1, 1);

  private final Store store = Store.inMemory(Shop.options());
  private final Shop shop = new Shop(store);

  @BeforeEach
  void open() {
    shop.register("alice", new Customer("Alice", "alice@example.org", "EE"));
    shop.register("bob", new Customer("Bob", "bob@example.org", "FI"));
    shop.receive(Delivery.parse("first", List.of("teapot\t24.50\t12", "cup\t4.00\t60")));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void anOrderTakesItsPiecesOutOfStockAndWaitsForItsShipment() {
    Order order = shop.place(ID, "alice", pieces("teapot", 2, "cup", 6), NOON);
    assertThat(order.total()).isEqualByComparingTo("73.00");
    assertThat(shop.order(ID)).contains(order);
    assertThat(stock()).containsEntry("teapot", 10L).containsEntry("cup", 54L);
    assertThat(shop.ship(NOON.plusSeconds(60))).contains(ID);
    assertThat(shop.order(ID)).contains(order.shippedAt(NOON.plusSeconds(60)));
    assertThat(shop.ship(NOON)).isEmpty();
  }

  @Test
  void anOrderThatIsSentAgainIsPlacedOnce() {
    Order first = shop.place(ID, "alice", pieces("cup", 1), NOON);
    assertThat(shop.place(ID, "alice", pieces("cup", 1), NOON.plusSeconds(5))).isEqualTo(first);
    assertThat(stock()).containsEntry("cup", 59L);
    assertThat(shop.waiting()).isOne();
    assertThatThrownBy(() -> shop.place(ID, "alice", pieces("cup", 2), NOON))
        .hasMessage("another order has this id");
    assertThatThrownBy(() -> shop.place(ID, "bob", pieces("cup", 1), NOON))
        .hasMessage("another order has this id");
  }

  @Test
  void whatIsRefusedChangesNothing() {
    Map<String, Long> before = stock();
    assertThatThrownBy(() -> shop.place(ID, "alice", pieces("cup", 1, "teapot", 13), NOON))
        .isInstanceOf(RefusedException.class)
        .hasMessage("only 12 of teapot in stock");
    assertThatThrownBy(() -> shop.place(ID, "alice", pieces("cup", 1, "vase", 1), NOON))
        .hasMessage("no article vase");
    assertThatThrownBy(() -> shop.place(ID, "carol", pieces("cup", 1), NOON))
        .hasMessage("no customer carol");
    assertThat(stock()).isEqualTo(before);
    assertThat(shop.order(ID)).isEmpty();
    assertThat(shop.waiting()).isZero();
  }

  @Test
  void ordersOfACustomerComeNewestFirst() {
    for (int i = 1; i <= 5; i++) {
      shop.place(new UUID(9, i), i == 3 ? "bob" : "alice", pieces("cup", 1), NOON.plusSeconds(i));
    }
    assertThat(shop.ordersOf("alice", Instant.MAX, 100))
        .extracting(entry -> entry.getKey().getLeastSignificantBits())
        .containsExactly(5L, 4L, 2L, 1L);
    assertThat(shop.ordersOf("alice", NOON.plusSeconds(4), 2))
        .extracting(entry -> entry.getKey().getLeastSignificantBits())
        .containsExactly(4L, 2L);
    assertThat(shop.ordersOf("al", Instant.MAX, 100)).isEmpty();
  }

  @Test
  void aDeliveryIsTakenOnceAndABadRowIsNamedBeforeAnyIsTaken() {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      rows.add("plate %03d\t1.25\t3".formatted(i));
    }
    Delivery delivery = Delivery.parse("second", rows);
    shop.receive(delivery);
    shop.receive(delivery);
    assertThat(stock()).hasSize(122).containsEntry("plate 119", 3L);
    rows.set(70, "plate 070\t1.255\t3");
    assertThatThrownBy(() -> Delivery.parse("third", rows))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("third, line 71: not an article")
        .hasMessageContaining("plate 070");
  }

  @Test
  void aStoreOfTheFirstVersionOpens(@TempDir Path folder) {
    StoreOptions options =
        StoreOptions.defaults()
            .withCodecs(CodecRegistry.defaults().withLookup(MethodHandles.lookup()));
    try (Store old = Store.open(folder, options)) {
      PersistentMap<String, CustomerV1> customers =
          old.map("customers", String.class, CustomerV1.class);
      old.run(tx -> customers.put(tx, "dora", new CustomerV1("Dora", "dora@example.org")));
    }
    for (int opening = 0; opening < 2; opening++) {
      try (Store present = Store.open(folder, Shop.options())) {
        Shop opened = new Shop(present);
        assertThat(opened.customer("dora"))
            .contains(new Customer("Dora", "dora@example.org", "EE"));
        opened.register("erik", new Customer("Erik", "erik@example.org", "SE"));
        assertThat(opened.customer("erik").map(Customer::country)).contains("SE");
      }
    }
  }

  /** The customer of the shop's first version. */
  @PersistentName("customer")
  record CustomerV1(String name, String mail) {}

  private Map<String, Long> stock() {
    Map<String, Long> stock = new TreeMap<>();
    shop.articles("", 1000).forEach(e -> stock.put(e.getKey(), e.getValue().stock()));
    return stock;
  }

  private static SortedMap<String, Integer> pieces(String article, int pieces) {
    return new TreeMap<>(Map.of(article, pieces));
  }

  private static SortedMap<String, Integer> pieces(String a, int first, String b, int second) {
    return new TreeMap<>(Map.of(a, first, b, second));
  }
}
