package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreFailedException;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import org.junit.jupiter.api.Test;

/** A store whose log cannot be forced any more. */
final class StoreFailureTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults().maxSize(1 << 20).orecs(1 << 12).partitions(2).ringBytes(1 << 16);

  @Test
  void afterAFailedForceNothingIsReadOrWrittenAndTheNextOpeningRecovers() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Store store = Store.open(SMALL.storage(disk.storage()));
    store.run(tx -> tx.root(0, tx.allocate(8)));
    disk.inject(Fault.onNth(Operation.FORCE, 1));
    assertThatThrownBy(() -> store.run(Durability.SYNC, tx -> tx.root(1, tx.root(0))))
        .isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(() -> store.read(Durability.ASYNC, tx -> tx.root(1)))
        .isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(store::stats).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    try (Store again = Store.open(SMALL.storage(disk.storage()))) {
      assertThat((long) again.read(tx -> tx.root(0))).isNotZero();
    }
  }
}
