package io.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.storetest.StoreCrash;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.crash.CrashUnit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** The shop dies at any moment of its work, on a simulated disk, and keeps what it has promised. */
final class ShopCrashTest {

  private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");
  private static final long PIECES = 60;

  /** Fewer moments than those of StoreCrashTest, since the shop has many collections to open. */
  @CrashTest(
      units = CrashUnit.SECTOR,
      points = 12,
      states = 2,
      recoveryPoints = 0,
      preemptOneIn = 8)
  void whatWasAnsweredIsThere(StoreCrash crash) {
    List<UUID> placed = new ArrayList<>();
    List<UUID> shipped = new ArrayList<>();
    crash.options(options -> options.withMaxSize(4 << 20).withCodecs(Shop.options().codecs()));
    crash.prepare(
        store -> {
          Shop shop = new Shop(store);
          shop.register("alice", new Customer("Alice", "alice@example.org", "EE"));
          shop.receive(Delivery.parse("first", List.of("cup\t4.00\t" + PIECES)));
        });
    crash.run(
        store -> {
          Shop shop = new Shop(store);
          for (int i = 1; i <= 2; i++) {
            UUID id = new UUID(0, i);
            shop.place(id, "alice", new TreeMap<>(Map.of("cup", 6)), NOON.plusSeconds(i));
            placed.add(id); // only now is it promised
          }
          shop.ship(NOON.plusSeconds(9)).ifPresent(shipped::add);
        });
    crash.check(store -> check(store, placed, shipped));
  }

  private static void check(Store store, List<UUID> placed, List<UUID> shipped) {
    Shop shop = new Shop(store);
    List<Map.Entry<UUID, Order>> orders = shop.ordersOf("alice", Instant.MAX, 10);
    assertThat(orders).extracting(Map.Entry::getKey).containsAll(placed);
    assertThat(shop.articles("cup", 1).getFirst().getValue().stock())
        .as("pieces that no order has")
        .isEqualTo(PIECES - 6L * orders.size());
    long waiting = orders.stream().filter(each -> each.getValue().shipped().isEmpty()).count();
    assertThat(shop.waiting()).isEqualTo(waiting);
    assertThat(shipped)
        .allSatisfy(id -> assertThat(shop.order(id).orElseThrow().shipped()).isPresent());
  }
}
