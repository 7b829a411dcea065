package io.howdah.crashtest.persistorder;

import io.howdah.core.Region;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Records the writes and forces of a storage's files, and hands its regions to an observer. */
final class RecordedStorage implements Storage {
  private final Storage storage;
  private final FileOrder order;
  private final UnaryOperator<Region> regions;

  RecordedStorage(Storage storage, FileOrder order, UnaryOperator<Region> regions) {
    this.storage = storage;
    this.order = order;
    this.regions = regions;
  }

  private final class File implements StorageFile {
    private final StorageFile file;
    private final String name;

    File(StorageFile file, String name) {
      this.file = file;
      this.name = name;
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
    public void write(long offset, ByteBuffer source) {
      int lengthBytes = source.remaining();
      FileOrder.Begin begin = order.beginWrite();
      file.write(offset, source);
      order.written(begin, name, offset, lengthBytes);
    }

    @Override
    public void setSize(long lengthBytes) {
      file.setSize(lengthBytes);
    }

    @Override
    public void force() {
      FileOrder.Begin begin = order.beginForce(name);
      file.force();
      order.forced(begin, name);
    }

    @Override
    public void close() {
      file.close();
    }
  }

  @Override
  public String describe() {
    return storage.describe();
  }

  @Override
  public boolean exists(String name) {
    return storage.exists(name);
  }

  @Override
  public List<String> list(String directory) {
    return storage.list(directory);
  }

  @Override
  public void createDirectory(String name) {
    storage.createDirectory(name);
  }

  @Override
  public StorageFile create(String name) {
    return new File(storage.create(name), name);
  }

  @Override
  public StorageFile open(String name, Access access) {
    return new File(storage.open(name, access), name);
  }

  @Override
  public void rename(String from, String to) {
    storage.rename(from, to);
  }

  @Override
  public void delete(String name) {
    storage.delete(name);
  }

  @Override
  public void forceDirectory(String name) {
    storage.forceDirectory(name);
  }

  @Override
  public StorageLock lock(String owner) {
    return storage.lock(owner);
  }

  @Override
  public Region mapShared(String name, long lengthBytes) {
    return regions.apply(storage.mapShared(name, lengthBytes));
  }

  @Override
  public Region mapPrivate(String name, long lengthBytes) {
    return regions.apply(storage.mapPrivate(name, lengthBytes));
  }

  @Override
  public Region allocate(long lengthBytes) {
    return regions.apply(storage.allocate(lengthBytes));
  }

  @Override
  public boolean observesMemory() {
    return storage.observesMemory();
  }

  @Override
  public FileIdentity identity(String name) {
    return storage.identity(name);
  }

  @Override
  public Optional<UUID> boot() {
    return storage.boot();
  }

  /** The rings there do not outlive a power cut, so their order is nobody's concern. */
  @Override
  public Optional<Storage> volatilePlace(String name, boolean create, long neededBytes) {
    return storage.volatilePlace(name, create, neededBytes);
  }

  @Override
  public List<String> volatilePlaces() {
    return storage.volatilePlaces();
  }

  @Override
  public long usableBytes() {
    return storage.usableBytes();
  }

  @Override
  public boolean isReadOnly() {
    return storage.isReadOnly();
  }

  @Override
  public void close() {
    storage.close();
  }
}
