package io.howdah.chroniclebytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.collections.PersistentBlob;
import io.howdah.core.TransactionStateException;
import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
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
}
