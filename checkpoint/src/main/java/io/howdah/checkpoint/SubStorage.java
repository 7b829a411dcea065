package io.howdah.checkpoint;

import io.howdah.core.Region;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A directory of a storage as a storage of its own. Its files may be renamed to places in the other
 * one. It has no lock: the other one's covers it. Closing it does nothing.
 */
final class SubStorage implements Storage {

  private final Storage storage;
  private final String directory;

  /** Creates it for a directory that exists. */
  SubStorage(Storage storage, String directory) {
    this.storage = storage;
    this.directory = directory;
  }

  private String path(String name) {
    return name.isEmpty() ? directory : directory + "/" + name;
  }

  @Override
  public String describe() {
    return storage.describe() + "/" + directory;
  }

  @Override
  public boolean exists(String name) {
    return storage.exists(path(name));
  }

  @Override
  public List<String> list(String name) {
    return storage.list(path(name));
  }

  @Override
  public void createDirectory(String name) {
    storage.createDirectory(path(name));
  }

  @Override
  public StorageFile create(String name) {
    return storage.create(path(name));
  }

  @Override
  public StorageFile open(String name, Access access) {
    return storage.open(path(name), access);
  }

  @Override
  public void rename(String from, String to) {
    storage.rename(path(from), path(to));
  }

  @Override
  public void delete(String name) {
    storage.delete(path(name));
  }

  @Override
  public void forceDirectory(String name) {
    storage.forceDirectory(path(name));
  }

  @Override
  public StorageLock lock(String owner) {
    throw new UnsupportedOperationException("the lock of " + storage.describe() + " covers it");
  }

  @Override
  public Region mapShared(String name, long lengthBytes) {
    return storage.mapShared(path(name), lengthBytes);
  }

  @Override
  public Region mapPrivate(String name, long lengthBytes) {
    return storage.mapPrivate(path(name), lengthBytes);
  }

  @Override
  public Region allocate(long lengthBytes) {
    return storage.allocate(lengthBytes);
  }

  @Override
  public FileIdentity identity(String name) {
    return storage.identity(path(name));
  }

  @Override
  public Optional<UUID> boot() {
    return storage.boot();
  }

  @Override
  public Optional<Storage> volatilePlace(String name, boolean create, long neededBytes) {
    return Optional.empty();
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
  public void close() {}
}
