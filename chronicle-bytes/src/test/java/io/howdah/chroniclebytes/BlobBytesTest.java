package io.howdah.chroniclebytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.collections.PersistentBlob;
import io.howdah.core.TransactionStateException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BlobBytesTest {

  private Store store;
  private PersistentBlob blob;

  @BeforeEach
  void open() {
    store = Store.inMemory();
    blob = store.blob("blob");
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** What Chronicle writes into bytes of its own, it reads from the blob. */
  @Test
  void readsWhatChronicleWrote() {
    Bytes<byte[]> written = Bytes.allocateElasticOnHeap();
    written.writeByte((byte) -7).writeShort((short) -300).writeInt(70_000).writeLong(-5L << 40);
    written.writeFloat(1.5f).writeDouble(-2.25).writeStopBit(123_456_789L).writeUtf8("naïve 😀");
    written.write8bit("plain").writeUnsignedByte(200);
    store.run(tx -> blob.write(tx, 0, written.toByteArray()));
    store.run(
        tx -> {
          Bytes<Void> view = BlobBytes.view(tx, blob);
          assertThat(view.readRemaining()).isEqualTo(blob.length(tx));
          assertThat(view.readByte()).isEqualTo((byte) -7);
          assertThat(view.readShort()).isEqualTo((short) -300);
          assertThat(view.readInt()).isEqualTo(70_000);
          assertThat(view.readLong()).isEqualTo(-5L << 40);
          assertThat(view.readFloat()).isEqualTo(1.5f);
          assertThat(view.readDouble()).isEqualTo(-2.25);
          assertThat(view.readStopBit()).isEqualTo(123_456_789L);
          assertThat(view.readUtf8()).isEqualTo("naïve 😀");
          assertThat(view.read8bit()).isEqualTo("plain");
          assertThat(view.readUnsignedByte()).isEqualTo(200);
          assertThat(view.readRemaining()).isZero();
        });
  }

  @Test
  void randomAccessGoesAcrossTheBlobsChunks() {
    byte[] bytes = new byte[300_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31);
    }
    store.run(tx -> blob.write(tx, 0, bytes));
    store.run(
        tx -> {
          Bytes<Void> view = BlobBytes.view(tx, blob);
          Bytes<byte[]> same = Bytes.wrapForRead(bytes);
          for (int at = 0; at < bytes.length - 8; at += 61) {
            assertThat(view.readLong(at)).isEqualTo(same.readLong(at));
          }
          view.readPosition(299_990);
          byte[] tail = new byte[10];
          assertThat(view.read(tail)).isEqualTo(10);
          assertThat(tail).isEqualTo(Arrays.copyOfRange(bytes, 299_990, 300_000));
          assertThatThrownBy(() -> view.readLong(299_993))
              .isInstanceOf(BufferUnderflowException.class);
          assertThat(view.peekUnsignedByte(300_000)).isEqualTo(-1);
        });
  }

  @Test
  void aViewEndsWithItsTransaction() {
    store.run(tx -> blob.write(tx, 0, new byte[100]));
    List<Bytes<Void>> kept = new ArrayList<>();
    store.run(tx -> kept.add(BlobBytes.view(tx, blob)));
    assertThatThrownBy(() -> kept.getFirst().readLong(0))
        .isInstanceOf(TransactionStateException.class);
  }

  @Test
  void aViewIsForReading() {
    store.run(tx -> blob.write(tx, 0, new byte[100]));
    store.run(
        tx -> {
          Bytes<Void> view = BlobBytes.view(tx, blob);
          assertThatThrownBy(() -> view.writeLong(0, 1))
              .isInstanceOf(UnsupportedOperationException.class);
          assertThatThrownBy(() -> view.writeByte(0, (byte) 1))
              .isInstanceOf(UnsupportedOperationException.class);
          assertThat(view.readLong(0)).isZero();
        });
  }

  /** The volatile reads, the peeks and the limits of the store behind a view. */
  @Test
  void theStoreBehindAViewReadsTheSameInEveryWay() {
    byte[] bytes = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10};
    store.run(tx -> blob.write(tx, 0, bytes));
    Bytes<byte[]> same = Bytes.wrapForRead(bytes);
    store.run(
        tx -> {
          BlobBytesStore view = new BlobBytesStore(tx, blob);
          for (int at = 0; at <= 2; at++) {
            assertThat(view.readVolatileByte(at)).isEqualTo(same.readByte(at));
            assertThat(view.readVolatileShort(at)).isEqualTo(same.readShort(at));
            assertThat(view.readVolatileInt(at)).isEqualTo(same.readInt(at));
            assertThat(view.readVolatileLong(at)).isEqualTo(same.readLong(at));
            // A short read behind a long one has no rest of it.
            assertThat(view.readInt(at)).isEqualTo(same.readInt(at));
            assertThat(view.peekUnsignedByte(at)).isEqualTo(bytes[at] & 0xff);
          }
          assertThat(view.peekUnsignedByte(9)).isEqualTo(256 - 10);
          assertThat(view.peekUnsignedByte(10)).isEqualTo(-1);
          assertThat(view.peekUnsignedByte(-1)).isEqualTo(-1);
          for (long outside : new long[] {-1, 3, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> view.readLong(outside))
                .isInstanceOf(BufferUnderflowException.class);
          }
          assertThat(List.of(view.capacity(), view.realCapacity(), view.readLimit()))
              .containsOnly(10L);
          assertThat(view.writeLimit()).isEqualTo(10);
          assertThat(view.sharedMemory()).isFalse();
          assertThat(view.isDirectMemory()).isFalse();
          assertThat(view.canReadDirect(1)).isFalse();
          assertThat(view.underlyingObject()).isNull();
        });
  }

  @Test
  void theStoreBehindAViewRefusesEveryWayToWrite() {
    store.run(tx -> blob.write(tx, 0, new byte[100]));
    Bytes<byte[]> source = Bytes.wrapForRead(new byte[8]);
    store.run(
        tx -> {
          BlobBytesStore view = new BlobBytesStore(tx, blob);
          List<ThrowingCallable> ways =
              List.of(
                  view::copy,
                  () -> view.move(0, 1, 1),
                  () -> view.nativeRead(0, 0, 1),
                  () -> view.nativeWrite(0, 0, 1),
                  () -> view.writeByte(0, (byte) 1),
                  () -> view.writeShort(0, (short) 1),
                  () -> view.writeInt(0, 1),
                  () -> view.writeOrderedInt(0, 1),
                  () -> view.writeLong(0, 1),
                  () -> view.writeOrderedLong(0, 1),
                  () -> view.writeFloat(0, 1),
                  () -> view.writeDouble(0, 1),
                  () -> view.writeVolatileByte(0, (byte) 1),
                  () -> view.writeVolatileShort(0, (short) 1),
                  () -> view.writeVolatileInt(0, 1),
                  () -> view.writeVolatileLong(0, 1),
                  () -> view.write(0, new byte[1], 0, 1),
                  () -> view.write(0, ByteBuffer.allocate(1), 0, 1),
                  () -> view.write(0, source, 0, 1),
                  () -> view.zeroOut(0, 1),
                  () -> view.write8bit(0, source),
                  () -> view.write8bit(0, "a", 0, 1),
                  () -> view.compareAndSwapInt(0, 0, 1),
                  () -> view.testAndSetInt(0, 0, 1),
                  () -> view.compareAndSwapLong(0, 0, 1),
                  () -> view.addressForRead(0),
                  () -> view.addressForWrite(0),
                  view::addressForWritePosition);
          for (ThrowingCallable way : ways) {
            assertThatThrownBy(way)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("PersistentBlob.write");
          }
          assertThat(blob.read(tx, 0, 100)).containsOnly(0);
        });
  }
}
