package io.howdah;

import io.howdah.core.Region;
import java.nio.ByteBuffer;

/** Memory of which one page cannot be had for a while, as a JVM tells it. */
final class UnavailableMemory extends Region {

  private static final int PAGE_BYTES = 4096;

  private final Region memory;
  private volatile long unavailable = -1;
  private volatile long unavailableToStores = -1;

  UnavailableMemory(Region memory) {
    this.memory = memory;
  }

  /** Lets every access to the page of an address fail. */
  void takeAway(long address) {
    unavailable = address / PAGE_BYTES;
  }

  /** The same, from the next time on that a word of the page is stored. */
  void takeAwayOnStore(long address) {
    unavailableToStores = address / PAGE_BYTES;
  }

  void giveBack() {
    unavailable = -1;
  }

  private long at(long address) {
    if (address / PAGE_BYTES == unavailable) {
      throw new InternalError("a fault occurred in an unsafe memory access operation");
    }
    return address;
  }

  @Override
  public long capacityBytes() {
    return memory.capacityBytes();
  }

  @Override
  public long getLong(long address) {
    return memory.getLong(at(address));
  }

  @Override
  public void setLong(long address, long value) {
    memory.setLong(at(address), value);
  }

  @Override
  public long getLongOpaque(long address) {
    return memory.getLongOpaque(at(address));
  }

  @Override
  public void setLongOpaque(long address, long value) {
    if (address / PAGE_BYTES == unavailableToStores) {
      takeAway(address);
    }
    memory.setLongOpaque(at(address), value);
  }

  @Override
  public long getLongAcquire(long address) {
    return memory.getLongAcquire(at(address));
  }

  @Override
  public void setLongRelease(long address, long value) {
    memory.setLongRelease(at(address), value);
  }

  @Override
  public long getLongVolatile(long address) {
    return memory.getLongVolatile(at(address));
  }

  @Override
  public void setLongVolatile(long address, long value) {
    memory.setLongVolatile(at(address), value);
  }

  @Override
  public boolean compareAndSetLong(long address, long expected, long value) {
    return memory.compareAndSetLong(at(address), expected, value);
  }

  @Override
  public long getAndAddLong(long address, long delta) {
    return memory.getAndAddLong(at(address), delta);
  }

  @Override
  public byte getByteOpaque(long address) {
    return memory.getByteOpaque(at(address));
  }

  @Override
  public void setByteOpaque(long address, byte value) {
    memory.setByteOpaque(at(address), value);
  }

  @Override
  public void copyTo(long address, ByteBuffer target) {
    memory.copyTo(at(address), target);
  }

  @Override
  public void copyFrom(long address, ByteBuffer source) {
    memory.copyFrom(at(address), source);
  }

  @Override
  public void clear(long address, long lengthBytes) {
    memory.clear(at(address), lengthBytes);
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
