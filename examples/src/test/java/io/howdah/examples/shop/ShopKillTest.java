package io.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shop's process is killed while it takes orders and ships them. This one keeps the record. */
final class ShopKillTest {

  private static final int KILLS = 2;
  private static final int CLIENTS = 3;
  private static final int ANSWERS_PER_LIFE = 60;
  private static final long PIECES = 1_000_000;

  private final Set<UUID> sent = ConcurrentHashMap.newKeySet();
  private final Map<UUID, String> placed = new ConcurrentHashMap<>();
  private final Set<UUID> shipped = ConcurrentHashMap.newKeySet();

  @TempDir private Path folder;

  @Test
  void whatWasAnsweredIsThereAfterEachKill() throws Exception {
    Path data = folder.resolve("store");
    Path table = folder.resolve("delivery.tsv");
    Files.writeString(table, "teapot\t24.50\t1000000\ncup\t4.00\t1000000\n");
    for (int life = 0; life < KILLS; life++) {
      try (ShopProcess shop = ShopProcess.start(data, table)) {
        shop.get("PUT", "/customers/alice", "name=Alice&email=alice@example.org&country=EE");
        takeOrdersUntilKilled(shop);
        shop.kill();
      }
    }
    try (ShopProcess shop = ShopProcess.start(data, table)) {
      for (Map.Entry<UUID, String> order : placed.entrySet()) {
        String answer = shop.get("GET", "/orders/" + order.getKey(), "");
        assertThat(withoutShipment(answer)).isEqualTo(withoutShipment(order.getValue()));
      }
      shop.stop();
    }
    try (Store store = Store.open(data, Shop.options())) {
      requireOneState(new Shop(store));
    }
  }

  private void takeOrdersUntilKilled(ShopProcess shop) throws InterruptedException {
    CountDownLatch answers = new CountDownLatch(ANSWERS_PER_LIFE);
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(Thread.ofVirtual().start(() -> takeOrders(shop, answers)));
    }
    try {
      assertThat(answers.await(60, TimeUnit.SECONDS)).as("answers come").isTrue();
    } finally {
      shop.kill();
      for (Thread client : clients) {
        client.join();
      }
    }
  }

  /** Sends orders and shipments until the shop is gone; what has no answer is left open. */
  private void takeOrders(ShopProcess shop, CountDownLatch answers) {
    try {
      while (true) {
        UUID id = UUID.randomUUID();
        sent.add(id);
        String body = "customer=alice&line=teapot:1&line=cup:6";
        HttpResponse<String> answer = shop.send("PUT", "/orders/" + id, body);
        if (answer.statusCode() == 200) {
          placed.put(id, answer.body().stripTrailing());
        }
        if (sent.size() % 3 == 0) {
          String shipment = shop.get("POST", "/shipments", "");
          if (shipment.startsWith("shipped ")) {
            assertThat(shipped.add(UUID.fromString(shipment.substring(8)))).isTrue();
          }
        }
        answers.countDown();
      }
    } catch (IOException e) {
      // The shop was killed. What was sent and not answered is open.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Orders, stock, index and queue are of one state, and it has all that was answered. */
  private void requireOneState(Shop shop) {
    Map<UUID, Order> orders = new HashMap<>();
    shop.ordersOf("alice", Instant.MAX, Integer.MAX_VALUE)
        .forEach(entry -> orders.put(entry.getKey(), entry.getValue()));
    assertThat(orders.keySet()).containsAll(placed.keySet());
    assertThat(sent).containsAll(orders.keySet());
    assertThat(placed.keySet()).allSatisfy(id -> assertThat(shop.order(id)).isPresent());
    assertThat(shipped)
        .allSatisfy(
            id ->
                assertThat(orders.get(id))
                    .extracting(Order::shipped)
                    .isNotEqualTo(Optional.empty()));
    shop.articles("", 10)
        .forEach(
            entry -> {
              int pieces = entry.getKey().equals("cup") ? 6 : 1;
              assertThat(entry.getValue().stock())
                  .as(entry.getKey())
                  .isEqualTo(PIECES - (long) pieces * orders.size());
            });
    Set<UUID> waiting = new HashSet<>();
    for (Optional<UUID> id = shop.ship(Instant.EPOCH);
        id.isPresent();
        id = shop.ship(Instant.EPOCH)) {
      assertThat(waiting.add(id.get())).as("in the queue once").isTrue();
    }
    orders.forEach(
        (order, was) -> assertThat(waiting.contains(order)).isEqualTo(was.shipped().isEmpty()));
    assertThat(orders.keySet()).containsAll(waiting);
  }

  private static String withoutShipment(String order) {
    return order.replaceFirst(", (waits|shipped \\S+)", "");
  }
}
