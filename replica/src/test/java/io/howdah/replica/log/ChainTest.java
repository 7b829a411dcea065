package io.howdah.replica.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.BatchHeader;
import io.howdah.core.layout.BatchLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Which entries count, and that no damaged one is read. */
class ChainTest {

  private static final StoreId STORE = new StoreId(3, 4);
  private static final long TAG = BatchLayout.storeTag(3, 4);

  private final Chain chain = new Chain(STORE);

  private static ByteBuffer batch(long epoch, long sequence, int previousCrc, long cut) {
    ByteBuffer bytes =
        ByteBuffer.allocate(BatchLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    new BatchHeader(TAG, epoch, sequence, bytes.capacity(), 0, cut, 0, cut, previousCrc)
        .write(bytes);
    return bytes;
  }

  private boolean add(ByteBuffer entry) {
    return chain.add(Entry.read(entry, STORE, "here"), "here");
  }

  private boolean addBatch(long nonce, long sequence, int previousCrc, long cut) {
    return add(Entry.batch(STORE, 1, nonce, batch(1, sequence, previousCrc, cut)));
  }

  @Test
  void anEpochCountsOnlyBehindTheEndThatItNames() {
    assertThat(add(Entry.epoch(STORE, 10, ChainEnd.START))).isTrue();
    assertThat(add(Entry.epoch(STORE, 11, ChainEnd.START))).as("a second first one").isFalse();
    int first = BatchLayout.firstPreviousCrc(TAG, 1);
    ChainEnd known = chain.end();
    assertThat(known).isEqualTo(new ChainEnd(1, 10, 0, first, 0));
    assertThat(addBatch(10, 1, first, 5)).isTrue();
    assertThat(add(Entry.epoch(STORE, 12, known))).as("without the batch").isFalse();
    assertThat(add(Entry.epoch(STORE, 12, chain.end()))).isTrue();
    assertThat(chain.end())
        .isEqualTo(new ChainEnd(2, 12, 0, BatchLayout.firstPreviousCrc(TAG, 2), 5));
  }

  @Test
  void aBatchIsVoidInAnotherEpochAndTheSecondTime() {
    add(Entry.epoch(STORE, 10, ChainEnd.START));
    int first = BatchLayout.firstPreviousCrc(TAG, 1);
    assertThat(addBatch(9, 1, first, 5)).as("another nonce").isFalse();
    assertThat(addBatch(10, 1, first, 5)).isTrue();
    assertThat(addBatch(10, 1, first, 5)).as("again").isFalse();
    assertThat(chain.end().sequence()).isEqualTo(1);
    assertThat(add(Entry.barrier(STORE, 1, 10, 1))).isTrue();
    assertThat(add(Entry.barrier(STORE, 1, 9, 1))).isFalse();
  }

  @Test
  void aLogThatIsNotWhatWasProposedStopsTheNode() {
    add(Entry.epoch(STORE, 10, ChainEnd.START));
    int first = BatchLayout.firstPreviousCrc(TAG, 1);
    assertThatThrownBy(() -> addBatch(10, 2, first, 5)).isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> addBatch(10, 1, first + 1, 5))
        .isInstanceOf(CorruptStoreException.class);
    assertThat(addBatch(10, 1, first, 5)).isTrue();
    assertThatThrownBy(() -> addBatch(10, 2, chain.end().crc(), 4))
        .isInstanceOf(CorruptStoreException.class);
  }

  @Test
  void noDamagedByteIsRead() {
    byte[] epoch = Entry.epoch(STORE, 10, ChainEnd.START).array();
    byte[] batch =
        Entry.batch(STORE, 1, 10, batch(1, 1, BatchLayout.firstPreviousCrc(TAG, 1), 5)).array();
    for (byte[] entry : new byte[][] {epoch, batch}) {
      for (int bit = 0; bit < 8 * entry.length; bit++) {
        byte[] damaged = entry.clone();
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        assertThatThrownBy(() -> Entry.read(ByteBuffer.wrap(damaged), STORE, "here"))
            .as("bit %d", bit)
            .isInstanceOfAny(CorruptStoreException.class, UnsupportedStoreException.class)
            .hasMessageContaining("here");
      }
      for (int length = 0; length < entry.length; length++) {
        ByteBuffer cut = ByteBuffer.wrap(entry, 0, length);
        assertThatThrownBy(() -> Entry.read(cut, STORE, "here"))
            .isInstanceOf(CorruptStoreException.class);
      }
    }
  }

  @Test
  void anEntryOfAnotherStoreIsRefused() {
    assertThatThrownBy(
            () -> Entry.read(Entry.barrier(STORE, 1, 2, 3), new StoreId(5, 6), "entry 7"))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("entry 7")
        .hasMessageContaining(STORE.toHex());
  }
}
