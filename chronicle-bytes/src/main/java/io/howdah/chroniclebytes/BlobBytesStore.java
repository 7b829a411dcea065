package io.howdah.chroniclebytes;

import io.howdah.collections.PersistentBlob;
import io.howdah.txn.Tx;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.bytes.RandomDataInput;
import net.openhft.chronicle.bytes.internal.AbstractBytesStore;
import org.jspecify.annotations.Nullable;

/** Reads a blob through its transaction. For the transaction's thread. */
final class BlobBytesStore extends AbstractBytesStore<BlobBytesStore, Void> {

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private final Tx tx;
  private final PersistentBlob blob;
  private final long length;
  private final byte[] word = new byte[Long.BYTES];
  private final MemorySegment segment = MemorySegment.ofArray(word);

  BlobBytesStore(Tx tx, PersistentBlob blob) {
    super(false);
    this.tx = tx;
    this.blob = blob;
    this.length = blob.length(tx);
  }

  /** Reads 1 to 8 bytes; those above are zero. */
  private long get(long offset, int count) {
    if (offset < 0 || offset > length - count) {
      throw new BufferUnderflowException();
    }
    for (int i = count; i < Long.BYTES; i++) {
      word[i] = 0;
    }
    blob.read(tx, offset, segment.asSlice(0, count));
    return (long) LONG.get(word, 0);
  }

  @Override
  public byte readByte(long offset) {
    return (byte) get(offset, Byte.BYTES);
  }

  @Override
  public int peekUnsignedByte(long offset) {
    return offset < 0 || offset >= length ? -1 : (int) get(offset, Byte.BYTES);
  }

  @Override
  public short readShort(long offset) {
    return (short) get(offset, Short.BYTES);
  }

  @Override
  public int readInt(long offset) {
    return (int) get(offset, Integer.BYTES);
  }

  @Override
  public long readLong(long offset) {
    return get(offset, Long.BYTES);
  }

  @Override
  public float readFloat(long offset) {
    return Float.intBitsToFloat(readInt(offset));
  }

  @Override
  public double readDouble(long offset) {
    return Double.longBitsToDouble(readLong(offset));
  }

  @Override
  public byte readVolatileByte(long offset) {
    return readByte(offset);
  }

  @Override
  public short readVolatileShort(long offset) {
    return readShort(offset);
  }

  @Override
  public int readVolatileInt(long offset) {
    return readInt(offset);
  }

  @Override
  public long readVolatileLong(long offset) {
    return readLong(offset);
  }

  @Override
  public long capacity() {
    return length;
  }

  @Override
  public long realCapacity() {
    return length;
  }

  @Override
  public long readLimit() {
    return length;
  }

  @Override
  public long writeLimit() {
    return length;
  }

  @Override
  public boolean isDirectMemory() {
    return false;
  }

  @Override
  public boolean sharedMemory() {
    return false;
  }

  @Override
  public boolean canReadDirect(long size) {
    return false;
  }

  @Override
  public @Nullable Void underlyingObject() {
    return null;
  }

  @Override
  public BytesStore<BlobBytesStore, Void> copy() {
    throw readOnly();
  }

  @Override
  protected void performRelease() {
    // The blob is the store's, not ours.
  }

  // ---- Refused: a view is for reading.

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException(
        "this is a view for reading; PersistentBlob.write changes the blob");
  }

  @Override
  public void move(long from, long to, long count) {
    throw readOnly();
  }

  @Override
  public void nativeRead(long position, long address, long size) {
    throw readOnly();
  }

  @Override
  public void nativeWrite(long address, long position, long size) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeByte(long offset, byte value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeShort(long offset, short value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeInt(long offset, int value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeOrderedInt(long offset, int value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeLong(long offset, long value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeOrderedLong(long offset, long value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeFloat(long offset, float value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeDouble(long offset, double value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeVolatileByte(long offset, byte value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeVolatileShort(long offset, short value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeVolatileInt(long offset, int value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore writeVolatileLong(long offset, long value) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore write(long to, byte[] source, int offset, int count) {
    throw readOnly();
  }

  @Override
  public void write(long to, ByteBuffer source, int offset, int count) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore write(long to, RandomDataInput source, long offset, long count) {
    throw readOnly();
  }

  @Override
  public BlobBytesStore zeroOut(long start, long end) {
    throw readOnly();
  }

  @Override
  public long write8bit(long offset, BytesStore<?, ?> source) {
    throw readOnly();
  }

  @Override
  public long write8bit(long offset, String source, int start, int count) {
    throw readOnly();
  }

  @Override
  public boolean compareAndSwapInt(long offset, int expected, int value) {
    throw readOnly();
  }

  @Override
  public void testAndSetInt(long offset, int expected, int value) {
    throw readOnly();
  }

  @Override
  public boolean compareAndSwapLong(long offset, long expected, long value) {
    throw readOnly();
  }

  @Override
  public long addressForRead(long offset) {
    throw readOnly();
  }

  @Override
  public long addressForWrite(long offset) {
    throw readOnly();
  }

  @Override
  public long addressForWritePosition() {
    throw readOnly();
  }
}
