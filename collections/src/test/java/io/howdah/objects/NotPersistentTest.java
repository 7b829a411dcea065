package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.WordOptions;
import io.howdah.collections.WordSession;
import io.howdah.collections.WordStore;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Properties that do not persist, of objects whose creation does not commit. */
final class NotPersistentTest {

  @Persistent
  interface Engine {
    int power();

    void power(int v);

    @NotPersistent
    int heat();

    void heat(int v);
  }

  @Persistent
  interface Car {
    @Embedded
    Engine engine();

    @Embedded
    Engine spare();

    @NotPersistent
    int pins();

    void pins(int v);
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12).withPartitions(2));
  private final PersistentType<Car> cars = store.type(Car.class, MethodHandles.lookup());
  private final PersistentType<Engine> engines = store.type(Engine.class, MethodHandles.lookup());

  /** References to cars that have been made, and to their engines. */
  private final List<Long> made = new ArrayList<>();

  private final List<Long> madeEngines = new ArrayList<>();
  private final List<Long> madeSpares = new ArrayList<>();

  @AfterEach
  void close() {
    store.close();
  }

  private Car make(Tx tx) {
    Car car = cars.create(tx);
    car.pins(5);
    car.engine().heat(6);
    car.spare().heat(7);
    made.add(cars.address(car));
    madeEngines.add(reference(car.engine()));
    madeSpares.add(reference(car.spare()));
    return car;
  }

  private static long reference(Engine engine) {
    return ((PersistentObject) engine).reference();
  }

  private void assertForgotten(int from, int to) {
    assertThat(made.subList(from, to)).noneMatch(cars.notPersistent()::has);
    assertThat(madeEngines.subList(from, to)).noneMatch(engines.notPersistent()::has);
    assertThat(madeSpares.subList(from, to)).noneMatch(engines.notPersistent()::has);
  }

  private void assertKept(int number) {
    assertThat(cars.notPersistent().get(made.get(number), 0)).isEqualTo(5);
    assertThat(engines.notPersistent().get(madeEngines.get(number), 0)).isEqualTo(6);
    assertThat(engines.notPersistent().get(madeSpares.get(number), 0)).isEqualTo(7);
  }

  @Test
  void abortedCreationsLeaveNoValues() {
    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        make(tx);
                        throw tx.abort();
                      }))
          .isInstanceOf(TransactionAbortedException.class);
    }
    assertForgotten(0, 100);
  }

  @Test
  void repeatedAttemptsLeaveNoValues() {
    store.run(
        tx -> {
          make(tx);
          if (made.size() == 1) {
            tx.root(0);
            store.run(other -> other.root(0, 8192)); // so this attempt loses
          }
          tx.root(1, tx.root(0));
        });
    assertThat(made).hasSize(2);
    assertForgotten(0, 1);
    assertKept(1);
  }

  @Test
  void aRollBackForgetsWhatWasMadeSinceTheSavepoint() {
    store.run(
        tx -> {
          make(tx);
          Savepoint savepoint = tx.savepoint();
          make(tx);
          make(tx);
          tx.rollBack(savepoint);
          make(tx);
        });
    assertKept(0);
    assertForgotten(1, 3);
    assertKept(3);
  }

  @Test
  void aFreedObjectTakesItsValuesWithItOnceTheTransactionHasCommitted() {
    store.run(tx -> tx.root(0, cars.address(make(tx))));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      cars.free(tx, cars.at(tx, tx.root(0)));
                      throw tx.abort();
                    }))
        .isInstanceOf(TransactionAbortedException.class);
    assertKept(0);
    store.run(tx -> cars.free(tx, cars.at(tx, tx.root(0))));
    assertForgotten(0, 1);
  }

  @Test
  void abortedTransactionsOfASessionLeaveNoValues() {
    WordSession session = store.session();
    make(session.begin());
    session.abort();
    make(session.begin());
    session.commit();
    assertForgotten(0, 1);
    assertKept(1);
  }

  /** The incarnation in a reference has 18 bits, so one may come up again. */
  @Test
  void anObjectWithTheReferenceOfADeadOneBeginsAnew() {
    store.run(
        tx -> {
          long number = TxHandle.of(tx).words().operations.objects;
          Car dead = make(tx);
          cars.free(tx, dead);
          TxHandle.of(tx).words().operations.objects = number;
          Car car = cars.create(tx);
          assertThat(cars.address(car)).isEqualTo(made.getFirst());
          assertThat(car.pins()).isZero();
          assertThat(car.engine().heat()).isZero();
        });
  }
}
