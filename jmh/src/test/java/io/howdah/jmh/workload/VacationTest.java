package io.howdah.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.jmh.workload.Vacation.Contention;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VacationTest {

  private static final int RELATIONS = 50;
  private static final int SESSIONS_FOR_ALL = 2000;
  private static final long ROUND_NANOS = 20_000_000;

  private static Store store() {
    return Store.inMemory(StoreOptions.defaults().withMaxSize(Vacation.maxSize(RELATIONS)));
  }

  private static Contention contention(boolean high) {
    return high ? Contention.HIGH : Contention.LOW;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void countsAndCustomersAgreeAfterSessionsOfManyThreads(boolean high) throws Exception {
    try (Store store = store()) {
      Vacation vacation = Vacation.fill(store, RELATIONS);
      assertThat(vacation.verify()).isZero();
      long done = 0;
      while (done < SESSIONS_FOR_ALL) {
        done += vacation.run(contention(high), 4, ROUND_NANOS).operations();
        done +=
            vacation
                .splitPhase(contention(high), Durability.SYNC, 2, ROUND_NANOS, 1_000_000)
                .operations();
      }
      assertThat(vacation.verify()).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1})
  void aWrongCountIsFound(long difference) throws Exception {
    try (Store store = store()) {
      Vacation vacation = Vacation.fill(store, RELATIONS);
      PersistentSortedMap<Long, Thing> flights =
          store.sortedMap("flights", Codec.int64(), Thing.CODEC);
      store.run(TxOptions.async(), tx -> flights.put(tx, 7L, new Thing(100, difference, 50)));
      assertThatThrownBy(vacation::verify)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("flights 7");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aReservationOfARemovedThingIsFound(int kind) throws Exception {
    try (Store store = store()) {
      Vacation vacation = Vacation.fill(store, RELATIONS);
      PersistentSortedMap<Long, Reservations> customers =
          store.sortedMap("customers", Codec.int64(), Reservations.CODEC);
      PersistentSortedMap<Long, Thing> things =
          store.sortedMap(
              new String[] {"cars", "flights", "rooms"}[kind], Codec.int64(), Thing.CODEC);
      store.run(
          TxOptions.async(),
          tx -> {
            things.remove(tx, 3L);
            customers.put(tx, 5L, Reservations.NONE.plus(kind, 3, 60));
          });
      assertThatThrownBy(vacation::verify)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("3: 0 used, 1 reserved");
    }
  }
}
