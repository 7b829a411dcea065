package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.codec.derived.Codecs;
import io.howdah.txn.Tx;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Collections that are opened by classes, with the codecs of the store's registry. */
final class TypedCollectionsTest {

  record Money(BigDecimal amount) {}

  record Order(UUID id, String customer, List<Money> prices) {}

  record Key(String customer, int day) {}

  interface Unknown {}

  private static final CodecRegistry REGISTRY =
      CodecRegistry.defaults()
          .with(Money.class, Codecs.map("money", Codecs.decimal(), Money::new, Money::amount));

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults()
              .withMaxSize(1 << 26)
              .withOrecs(1 << 12)
              .withCodecs(REGISTRY)
              .withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void classesAreEnoughToOpenCollections() {
    PersistentMap<UUID, Order> orders = store.map("orders", UUID.class, Order.class);
    PersistentSortedMap<Key, UUID> days = store.sortedMap("days", Key.class, UUID.class);
    PersistentSet<String> customers = store.set("customers", String.class);
    PersistentList<Money> prices = store.list("prices", Money.class);
    PersistentQueue<Order> jobs = store.queue("jobs", Order.class);
    Money price = new Money(new BigDecimal("2.50"));
    Order order = new Order(new UUID(1, 2), "alice", List.of(price));
    store.run(
        tx -> {
          orders.put(tx, order.id(), order);
          days.put(tx, new Key("alice", 7), order.id());
          customers.add(tx, "alice");
          prices.add(tx, price);
          jobs.add(tx, order);
        });
    assertThat(store.read((Tx tx) -> orders.values(tx).toList())).containsExactly(order);
    assertThat(
            store.read(
                (Tx tx) -> days.range(tx, Range.prefix("alice")).map(Map.Entry::getValue).toList()))
        .containsExactly(order.id());
    assertThat(store.read((Tx tx) -> customers.contains(tx, "alice"))).isTrue();
    assertThat(store.read((Tx tx) -> prices.get(tx, 0))).isEqualTo(price);
    assertThat(store.read((Tx tx) -> jobs.stream(tx).toList())).containsExactly(order);
  }

  @Test
  void theCodecsAreThoseOfTheRegistry() {
    store.list("prices", Money.class);
    assertThat(store.read((Tx tx) -> store.collections(tx)))
        .containsEntry("prices", "list of money");
    PersistentList<Money> same =
        store.list("prices", Codecs.map("money", Codecs.decimal(), Money::new, Money::amount));
    assertThat(store.read(same::size)).isZero();
    PersistentMap<Long, String> plain = store.map("plain", Long.class, String.class);
    assertThat(plain).hasToString(store.map("plain", Codec.int64(), Codec.utf8()).toString());
  }

  @Test
  void anUnsuitableClassIsNamedWithWhatToDo() {
    assertThatThrownBy(() -> store.map("threads", Long.class, Thread.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(
            "the values of \"threads\" cannot be java.lang.Thread: java.lang.Thread has no codec")
        .hasMessageContaining("CodecRegistry.with");
    assertThatThrownBy(() -> store.sortedMap("by order", Order.class, Long.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("the keys of \"by order\" cannot be " + Order.class.getName())
        .hasMessageContaining("prices")
        .hasMessageContaining("no codec with an order");
    assertThatThrownBy(() -> store.queue("unknown", Unknown.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Store.type");
    assertThat(store.read((Tx tx) -> store.collections(tx))).isEmpty();
  }

  @Test
  void anotherClassThanTheStoresIsRefused() {
    store.map("numbers", Long.class, String.class);
    assertThatThrownBy(() -> store.map("numbers", Long.class, UUID.class))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("numbers");
  }
}
