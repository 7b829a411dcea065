package io.howdah.core.superblock;

import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;

/** A file whose n-th change fails: a write leaves a torn half behind, a force nothing known. */
final class FaultyFile implements StorageFile {

  private final StorageFile file;
  private final int failAt;
  private int changes;

  /** Fails at the change of that number, from 1. */
  FaultyFile(StorageFile file, int failAt) {
    this.file = file;
    this.failAt = failAt;
  }

  private boolean failsNow() {
    changes++;
    return changes == failAt;
  }

  private static StorageException error(String operation) {
    return new StorageException(StorageException.Reason.IO, operation, null);
  }

  @Override
  public void write(long offset, ByteBuffer source) {
    if (failsNow()) {
      source.limit(source.position() + 4096 + 512);
      file.write(offset, source);
      throw error("write");
    }
    file.write(offset, source);
  }

  @Override
  public void force() {
    if (failsNow()) {
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
