package io.howdah.crashtest.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.core.Backing;
import io.howdah.txn.Durability;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(OrderAnnotation.class)
final class CityStoreTest {

  private static final Cities CITIES = Cities.load(CrashRunOptions.ALL_CITIES);
  private static final int MODES = 2;
  private static final int THREADS = 3;

  // Filled once: tests that change it come behind those that look at it.
  private static final Store STORE = Store.inMemory(CityStore.options(Backing.MAPPED));
  private static CityStore cities;

  @BeforeAll
  static void fill() {
    cities = CityStore.create(STORE, CITIES, MODES, THREADS, _ -> {});
  }

  @AfterAll
  static void close() {
    STORE.close();
  }

  @Test
  void theDataSetIsRealAndLarge() {
    assertThat(CITIES.count()).isGreaterThanOrEqualTo(100_000);
    assertThat(CITIES.totalPopulation()).isGreaterThan(3_000_000_000L);
    assertThat(CITIES.get(CITIES.largest(1)[0]).name()).isEqualTo("Shanghai");
  }

  @Order(1)
  @Test
  void holdsWhatWasPutIn() {
    assertThat(cities.cities()).isEqualTo(CITIES.count());
    assertThat(cities.differences(CITIES)).isEmpty();
    RecoveredState state = CityStore.of(STORE).state();
    assertThat(state.transfers(1, 2)).isZero();
    assertThat(state.population(4711)).isEqualTo(CITIES.get(4711).population());
  }

  @Order(3)
  @Test
  void noticesANameThatChanged() {
    byte[] name = CITIES.get(99).name().getBytes(StandardCharsets.UTF_8);
    STORE.run(
        tx -> {
          long address = cities.address(99) + CityLayout.NAME_OFFSET + name.length - 1;
          tx.putByte(address, (byte) (tx.getByte(address) ^ 1));
        });
    assertThat(cities.differences(CITIES)).hasSize(1).first().asString().startsWith("city 99 ");
  }

  @Order(2)
  @Test
  void transfersAreWhatTheLedgerExpects() {
    Transfers transfers = new Transfers(1, CITIES.count(), CITIES.largest(Transfers.BUSY_CITIES));
    for (long n = 1; n <= 1000; n++) {
      long draw = transfers.draw(1, 2, n);
      cities.transfer(
          Durability.ASYNC,
          1,
          2,
          n,
          transfers.from(draw),
          transfers.to(draw),
          transfers.people(draw));
    }
    Ledger ledger =
        new Ledger(CITIES, transfers, List.of("sync", "async"), THREADS, Set.of("sync", "async"));
    assertThat(ledger.judge(new long[][] {{0, 0, 0}, {0, 0, 999}}, cities.state()))
        .isEqualTo(new Verdict(999, 1000, 0, 0, List.of()));
  }

  @Test
  void refusesAStoreOfSomethingElse() {
    try (Store other = Store.inMemory(CityStore.options(Backing.MAPPED))) {
      assertThatThrownBy(() -> CityStore.of(other))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no cities");
    }
  }
}
