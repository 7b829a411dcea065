package io.howdah.testkit.disk;

import io.howdah.core.Region;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * A region in front of another one, for tests that override what some access does. As thread-safe
 * as the other one. Methods that access many words call those for single words.
 */
public class ForwardingRegion extends Region {

  private final Region memory;

  /** Creates a region whose every access goes to another one. */
  protected ForwardingRegion(Region memory) {
    this.memory = memory;
  }

  @Override
  public long capacityBytes() {
    return memory.capacityBytes();
  }

  @Override
  public long getLong(long address) {
    return memory.getLong(address);
  }

  @Override
  public void setLong(long address, long value) {
    memory.setLong(address, value);
  }

  @Override
  public long getLongOpaque(long address) {
    return memory.getLongOpaque(address);
  }

  @Override
  public void setLongOpaque(long address, long value) {
    memory.setLongOpaque(address, value);
  }

  @Override
  public long getLongAcquire(long address) {
    return memory.getLongAcquire(address);
  }

  @Override
  public void setLongRelease(long address, long value) {
    memory.setLongRelease(address, value);
  }

  @Override
  public long getLongVolatile(long address) {
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
    return memory.getByteOpaque(address);
  }

  @Override
  public void setByteOpaque(long address, byte value) {
    memory.setByteOpaque(address, value);
  }

  @Override
  public void copyTo(long address, ByteBuffer target) {
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
  public OptionalLong largePageBytes() {
    return memory.largePageBytes();
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
