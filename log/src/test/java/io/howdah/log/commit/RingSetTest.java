package io.howdah.log.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The files of the rings: what they hold when they are new, and whether they are still there. */
class RingSetTest {

  private static final long NONCE = 4711;
  private static final int CAPACITY = RingLayout.MIN_CAPACITY;

  private final SimulatedDisk disk = SimulatedDisk.seeded(5);
  private final Storage storage = disk.storage();
  private final LogStart start = new LogStart(11, 12, 13, 0, 1, List.of(), List.of(), 1);

  private RingSet create(int partitions) {
    storage.createDirectory("rings");
    return RingSet.create(storage, "rings", start, NONCE, partitions, CAPACITY);
  }

  @Test
  void aNewRingIsIdleEmptyAndNamesItsStoreItsOpeningAndItsFile() {
    try (RingSet rings = create(3)) {
      assertThat(rings.partitions()).isEqualTo(3);
      for (int partition = 0; partition < 3; partition++) {
        Ring ring = rings.rings().get(partition);
        assertThat(ring.partition()).isEqualTo(partition);
        assertThat(ring.capacityBytes()).isEqualTo(CAPACITY);
        assertThat(ring.inflight()).isEqualTo(RingLayout.IDLE);
        assertThat(ring.tail()).isZero();
        assertThat(ring.forcedPosition()).isZero();

        byte[] contents = disk.contents("rings/" + partition);
        assertThat(contents).hasSize(RingLayout.HEADER_LENGTH + CAPACITY);
        ByteBuffer header = ByteBuffer.wrap(contents).order(ByteOrder.LITTLE_ENDIAN);
        FileIdentity identity = storage.identity("rings/" + partition);
        assertThat(header.getLong(RingLayout.MAGIC_OFFSET)).isEqualTo(RingLayout.MAGIC);
        assertThat(header.getInt(RingLayout.PARTITION_OFFSET)).isEqualTo(partition);
        assertThat(header.getLong(RingLayout.STORE_ID_HIGH_OFFSET)).isEqualTo(11);
        assertThat(header.getLong(RingLayout.STORE_ID_LOW_OFFSET)).isEqualTo(12);
        assertThat(header.getLong(RingLayout.NONCE_OFFSET)).isEqualTo(NONCE);
        assertThat(header.getLong(RingLayout.GENERATION_OFFSET)).isEqualTo(13);
        assertThat(header.getLong(RingLayout.INODE_OFFSET)).isEqualTo(identity.inode());
        assertThat(header.getInt(RingLayout.CRC_OFFSET))
            .isEqualTo(Crc32c.of(header, 0, RingLayout.CRC_OFFSET));
      }
    }
  }

  @Test
  void aRingThatWasRemovedOrReplacedIsNotReachable() {
    try (RingSet rings = create(2)) {
      assertThat(rings.isReachable()).isTrue();
      storage.delete("rings/1");
      assertThat(rings.isReachable()).isFalse();
      storage.create("rings/1").close();
      assertThat(rings.isReachable()).isFalse();
    }
  }

  /** A disk that is full under a mapping tells so at a store, which is too late. */
  @Test
  void aRingHasAllItsBlocksBeforeItIsMapped() {
    try (RingSet rings = create(1)) {
      disk.setFreeBytes(0);
      Ring ring = rings.rings().getFirst();
      for (long at = 0; at < CAPACITY; at += Long.BYTES) {
        ring.setWords(at, new long[] {at}, 1);
      }
    }
  }

  @Test
  void ringsThatDoNotFitAreRefusedAtTheirCreation() {
    disk.setFreeBytes(CAPACITY);
    assertThatThrownBy(() -> create(1))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.NO_SPACE));
  }

  @Test
  void closedRingsAreUnmappedAndTheirFilesStay() {
    RingSet rings = create(2);
    rings.close();
    assertThat(rings.rings())
        .allSatisfy(
            ring -> assertThatThrownBy(ring::tail).isInstanceOf(IllegalStateException.class));
    assertThat(storage.list("rings")).containsExactly("0", "1");
  }

  @Test
  void messagesNameTheDirectory() {
    try (RingSet rings = create(1)) {
      assertThat(rings.describe()).endsWith("/rings").startsWith(storage.describe());
    }
    try (RingSet rings = RingSet.create(storage, "", start, NONCE, 1, CAPACITY)) {
      assertThat(rings.describe()).isEqualTo(storage.describe());
      Throwable fault = new IllegalStateException();
      assertThat(rings.explained(fault)).isSameAs(fault);
    }
  }

  @Test
  void eachPartitionOfEachGenerationChecksItsRecordsWithASeedOfItsOwn() {
    LogStart next = new LogStart(11, 12, 14, 0, 1, List.of(), List.of(), 1);
    assertThat(start.logSeed(3)).isEqualTo(RedoRecordLayout.logSeed(11, 12, 13, 3));
    assertThat(List.of(start.logSeed(0), start.logSeed(1), next.logSeed(0), next.logSeed(1)))
        .doesNotHaveDuplicates();
    assertThat(start.storeTag()).isEqualTo(next.storeTag()).isNotZero();
  }
}
