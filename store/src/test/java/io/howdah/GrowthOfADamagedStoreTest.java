package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.disk.SimulatedDisk;
import org.junit.jupiter.api.Test;

/** Openings that are asked for more room, of a store that does not open. */
final class GrowthOfADamagedStoreTest {

  private static final int SIZE = 1 << 20;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(SIZE)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  @Test
  void aDamagedLogLeavesImageAndSuperblockAsTheyWere() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Store store = Store.open(OPTIONS.withStorage(disk.storage()));
    for (int i = 0; i < 5; i++) {
      store.run(tx -> tx.allocate(8));
    }
    SimulatedDisk killed = disk.fork();
    killed.kill();
    store.close();
    killed.flipBit("log/0/00000000.seg", SegmentLayout.HEADER_LENGTH + 100, 1);
    byte[] superblock = killed.contents("store.howdah");
    assertThatThrownBy(
            () -> Store.open(OPTIONS.withMaxSize(2L * SIZE).withStorage(killed.storage())))
        .isInstanceOf(CorruptStoreException.class);
    assertThat(killed.contents("image")).hasSize(SIZE);
    assertThat(killed.contents("store.howdah")).isEqualTo(superblock);
  }
}
