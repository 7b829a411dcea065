package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readers beside the thread that applies the group's batches. */
class FollowingStoreTest {

  private static final StoreId ID = new StoreId(1, 2);

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(2)
          .withRingBytes(RingLayout.MIN_CAPACITY)
          .withOrecs(1 << 10);

  private final Storage storage = SimulatedDisk.seeded(1).storage();
  private ReplicaFiles files;
  private FollowingStore following;

  @BeforeEach
  void open() {
    ReplicaNode.create(storage, ID, OPTIONS);
    files = ReplicaFiles.open(storage, ID, OPTIONS);
    following = new FollowingStore(files, OPTIONS, storage);
  }

  @AfterEach
  void close() {
    following.close();
    files.close();
  }

  private void redo(long address, long... words) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Long.BYTES * (1 + words.length)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(RedoRecordLayout.entryHead(address, words.length));
    for (long word : words) {
      bytes.putLong(word);
    }
    following.redo(bytes, 0, bytes.capacity());
  }

  private void applyHeader() {
    following.apply(
        () -> {
          redo(RegionHeaderLayout.MAGIC_ADDRESS, RegionHeaderLayout.MAGIC);
          redo(RegionHeaderLayout.VERSION_ADDRESS, RegionHeaderLayout.VERSION);
          redo(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
        });
  }

  private Store reader() {
    Store reader = following.reader();
    if (reader == null) {
      throw new AssertionError("there is a header");
    }
    return reader;
  }

  @Test
  void thereIsNoReaderBeforeTheFirstCommit() {
    assertThat(following.reader()).isNull();
    applyHeader();
    assertThat(following.reader()).isNotNull().isSameAs(following.reader());
  }

  @Test
  void readersSeeAllOfABatchOrNothing() {
    applyHeader();
    long root = RegionHeaderLayout.ROOTS_ADDRESS + Long.BYTES;
    long value =
        reader()
            .read(
                tx -> {
                  long before = tx.root(1);
                  following.apply(
                      () -> {
                        redo(root, 8192, 8192);
                        redo(root, 8200);
                      });
                  // The second word belongs to a later state, so the body begins again.
                  assertThat(tx.root(2) == 0).isEqualTo(before == 0);
                  return before;
                });
    assertThat(value).isEqualTo(8200);
    assertThat(reader().<Long, RuntimeException>read(tx -> tx.root(2))).isEqualTo(8192);
  }

  @Test
  void readersCannotWrite() {
    applyHeader();
    assertThatThrownBy(() -> reader().run(tx -> tx.root(1, 8192)))
        .isInstanceOf(ReadOnlyStoreException.class);
    assertThatThrownBy(() -> reader().map("names", String.class, String.class))
        .isInstanceOf(ReadOnlyStoreException.class);
  }

  @Test
  void readersEndWithIt() {
    applyHeader();
    Store reader = reader();
    following.close();
    assertThatThrownBy(() -> reader.read(tx -> tx.root(1)))
        .isInstanceOf(StoreClosedException.class);
  }
}
