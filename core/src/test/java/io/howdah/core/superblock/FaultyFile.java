package io.howdah.core.superblock;

import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A file whose n-th change fails: a write leaves its beginning behind, a force nothing known. */
final class FaultyFile implements StorageFile {

  // The new sequence and checksum, and not what comes after.
  private static final int TORN_BYTES = SuperblockLayout.CREATED_OFFSET;

  private final StorageFile file;
  private final int failAt;
  private final List<String> operations = new ArrayList<>();

  /** Fails at the change of that number, from 1. */
  FaultyFile(StorageFile file, int failAt) {
    this.file = file;
    this.failAt = failAt;
  }

  /** Returns the changes so far, in their order. */
  List<String> operations() {
    return operations;
  }

  private boolean failsNow(String operation) {
    operations.add(operation);
    return operations.size() == failAt;
  }

  private static StorageException error(String operation) {
    return new StorageException(StorageException.Reason.IO, operation, null);
  }

  @Override
  public void write(long offset, ByteBuffer source) {
    if (failsNow("write at " + offset)) {
      source.limit(source.position() + TORN_BYTES);
      file.write(offset, source);
      throw error("write");
    }
    file.write(offset, source);
  }

  @Override
  public void force() {
    if (failsNow("force")) {
      throw error("force");
    }
    file.force();
  }

  @Override
  public String describe() {
    return file.describe();
  }

  @Override
  public long sizeBytes() {
    return file.sizeBytes();
  }

  @Override
  public int alignmentBytes() {
    return file.alignmentBytes();
  }

  @Override
  public int read(long offset, ByteBuffer target) {
    return file.read(offset, target);
  }

  @Override
  public void setSize(long lengthBytes) {
    file.setSize(lengthBytes);
  }

  @Override
  public void close() {
    file.close();
  }
}
