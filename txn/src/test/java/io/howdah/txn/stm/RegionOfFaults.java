package io.howdah.txn.stm;

import io.howdah.core.HowdahException;
import io.howdah.core.Region;
import io.howdah.core.UnavailablePageException;
import io.howdah.core.storage.file.Regions;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory that can be asked about faults, and notes which addresses it is asked about. */
final class RegionOfFaults extends Region {

  private final Region memory = Regions.anonymous(1 << 16);

  /** What a fault is explained with; a page that cannot be had if null. */
  @Nullable HowdahException explanation;

  /** What an explanation breaks off with, if it does. */
  @Nullable RuntimeException broken;

  /** Whether no word can be read. */
  boolean isUnreadable;

  long[] suspects = {};
  int explained;

  static InternalError fault() {
    return new InternalError("a fault occurred in an unsafe memory access operation");
  }

  @Override
  protected HowdahException explain(InternalError fault, long[] suspects) {
    this.suspects = suspects;
    explained++;
    if (broken != null) {
      throw broken;
    }
    HowdahException told = explanation;
    return told == null ? new UnavailablePageException("the test", 7, "is away", fault) : told;
  }

  private void read() {
    if (isUnreadable) {
      throw fault();
    }
  }

  @Override
  public long capacityBytes() {
    return memory.capacityBytes();
  }

  @Override
  public long getLong(long address) {
    read();
    return memory.getLong(address);
  }

  @Override
  public void setLong(long address, long value) {
    memory.setLong(address, value);
  }

  @Override
  public long getLongOpaque(long address) {
    read();
    return memory.getLongOpaque(address);
  }

  @Override
  public void setLongOpaque(long address, long value) {
    memory.setLongOpaque(address, value);
  }

  @Override
  public long getLongAcquire(long address) {
    read();
    return memory.getLongAcquire(address);
  }

  @Override
  public void setLongRelease(long address, long value) {
    memory.setLongRelease(address, value);
  }

  @Override
  public long getLongVolatile(long address) {
    read();
    return memory.getLongVolatile(address);
  }

  @Override
  public void setLongVolatile(long address, long value) {
    memory.setLongVolatile(address, value);
  }

  @Override
  public boolean compareAndSetLong(long address, long expected, long value) {
    return memory.compareAndSetLong(address, expected, value);
  }

  @Override
  public long getAndAddLong(long address, long delta) {
    return memory.getAndAddLong(address, delta);
  }

  @Override
  public byte getByteOpaque(long address) {
    read();
    return memory.getByteOpaque(address);
  }

  @Override
  public void setByteOpaque(long address, byte value) {
    memory.setByteOpaque(address, value);
  }

  @Override
  public void copyTo(long address, ByteBuffer target) {
    read();
    memory.copyTo(address, target);
  }

  @Override
  public void copyFrom(long address, ByteBuffer source) {
    memory.copyFrom(address, source);
  }

  @Override
  public void clear(long address, long lengthBytes) {
    memory.clear(address, lengthBytes);
  }

  @Override
  public boolean isOpen() {
    return memory.isOpen();
  }

  @Override
  public void close() {
    memory.close();
  }
}
