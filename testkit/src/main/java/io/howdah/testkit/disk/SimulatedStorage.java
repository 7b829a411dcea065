package io.howdah.testkit.disk;

import io.howdah.core.Region;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StorageName;
import io.howdah.core.storage.StoreLockedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A directory of a {@link SimulatedDisk} in the eyes of one process. */
final class SimulatedStorage implements Storage {

  private final SimulatedDisk disk;
  private final DiskOperations operations;
  private final FileSystem files;

  /** What all names here begin with; empty, or the name of a volatile place. */
  private final String root;

  private final Incarnation process;
  private final String description;
  private final List<SimulatedFile> open = new ArrayList<>();
  private final List<SimulatedLock> held = new ArrayList<>();
  private volatile boolean closed;

  SimulatedStorage(
      SimulatedDisk disk,
      DiskOperations operations,
      FileSystem files,
      String root,
      Incarnation process,
      String description) {
    this.disk = disk;
    this.operations = operations;
    this.files = files;
    this.root = root;
    this.process = process;
    this.description = description;
  }

  @Override
  public String describe() {
    return description;
  }

  @Override
  public boolean exists(String name) {
    String path = path(name);
    return perform(Operation.EXISTS, name, _ -> files.find(path) != null);
  }

  @Override
  public List<String> list(String directory) {
    String path = directory.isEmpty() ? root : path(directory);
    return perform(
        Operation.LIST,
        directory,
        _ -> {
          if (!files.isDirectory(path) && files.find(path) != null) {
            throw failure("list", directory, Reason.IO);
          }
          return List.copyOf(files.children(path));
        });
  }

  @Override
  public void createDirectory(String name) {
    String path = path(name);
    perform(
        Operation.CREATE_DIRECTORY,
        name,
        _ -> {
          if (!files.isDirectory(path)) {
            if (files.find(path) != null) {
              throw failure("create directory", name, Reason.EXISTS);
            }
            requireParent("create directory", name, path);
            files.create(path, true);
          }
          return path;
        });
  }

  @Override
  public StorageFile create(String name) {
    String path = path(name);
    return perform(
        Operation.CREATE,
        name,
        _ -> {
          if (files.find(path) != null) {
            throw failure("create", name, Reason.EXISTS);
          }
          requireParent("create", name, path);
          return opened(files.create(path, false), name, Access.READ_WRITE);
        });
  }

  @Override
  public StorageFile open(String name, Access access) {
    String path = path(name);
    if (access == Access.READ_WRITE && isReadOnly()) {
      throw failure("open for writing", name, Reason.ACCESS_DENIED);
    }
    return perform(
        Operation.OPEN, name, _ -> opened(requireFile("open", name, path), name, access));
  }

  private SimulatedFile opened(Inode inode, String name, Access access) {
    SimulatedFile file =
        new SimulatedFile(
            operations,
            files,
            inode,
            process,
            disk.directAlignmentBytes(),
            traced(name),
            description + "/" + name,
            access);
    open.add(file);
    return file;
  }

  @Override
  public void rename(String from, String to) {
    String source = path(from);
    String target = path(to);
    perform(
        Operation.RENAME,
        from,
        _ -> {
          requireFile("rename to " + to + ":", from, source);
          requireParent("rename " + from + " to", to, target);
          if (files.isDirectory(target)) {
            throw failure("rename " + from + " to", to, Reason.EXISTS);
          }
          files.rename(source, target);
          return target;
        });
  }

  @Override
  public void delete(String name) {
    if (name.isEmpty() && root.isEmpty()) {
      throw new IllegalArgumentException("the root of " + description + " is not deleted");
    }
    String path = name.isEmpty() ? root : path(name);
    perform(
        Operation.DELETE,
        name,
        _ -> {
          if (!files.children(path).isEmpty()) {
            throw failure("delete (not empty)", name, Reason.IO);
          }
          files.delete(path);
          return path;
        });
  }

  @Override
  public void forceDirectory(String name) {
    String path = name.isEmpty() ? root : path(name);
    requireOpen("force directory");
    operations.performForce(
        process,
        files,
        Operation.FORCE_DIRECTORY,
        traced(name),
        new DiskOperations.ForceEffect<List<NameOperation>>() {
          @Override
          public List<NameOperation> begin() {
            if (!files.isDirectory(path)) {
              throw failure("force directory", name, Reason.MISSING);
            }
            return files.beginForce(path);
          }

          @Override
          public void complete(List<NameOperation> mark) {
            files.completeForce(path, mark);
          }

          @Override
          public void fail(List<NameOperation> mark) {
            files.failForce(mark);
          }
        });
  }

  @Override
  public StorageLock lock(String owner) {
    return perform(
        Operation.LOCK,
        "",
        _ -> {
          SimulatedLock candidate = new SimulatedLock(disk, files, process, owner);
          String holder = disk.acquire(files, candidate);
          if (holder != null) {
            throw new StoreLockedException(
                "store " + description + " is already open by " + holder + "; close that first");
          }
          held.add(candidate);
          return candidate;
        });
  }

  @Override
  public Region mapShared(String name, long lengthBytes) {
    SimulatedRegion.requireCapacity(lengthBytes);
    String path = path(name);
    return perform(
        Operation.MAP_SHARED,
        name,
        _ -> {
          Inode inode = requireFile("map", name, path);
          if (inode.size < lengthBytes) {
            throw failure("map " + lengthBytes + " bytes of (it is shorter)", name, Reason.IO);
          }
          return SimulatedRegion.shared(operations, process, files, inode, lengthBytes);
        });
  }

  @Override
  public Region mapPrivate(String name, long lengthBytes) {
    return mapPrivate(name, lengthBytes, lengthBytes);
  }

  /**
   * {@inheritDoc}
   *
   * <p>The part behind is memory in every second process, by the seed, and the file's in the
   * others: storages of files have both, and a program has to see the same.
   */
  @Override
  public Region mapPrivate(String name, long lengthBytes, long usedBytes) {
    SimulatedRegion.requireCapacity(lengthBytes);
    String path = path(name);
    return perform(
        Operation.MAP_PRIVATE,
        name,
        _ -> {
          Inode inode = requireFile("map privately", name, path);
          if (files.readOnly) {
            return SimulatedRegion.loaded(operations, process, inode, lengthBytes);
          }
          if (inode.size < lengthBytes) {
            files.setSize(inode, lengthBytes);
          }
          long mappedBytes = disk.isUnusedPartInMemory() ? usedBytes : lengthBytes;
          return SimulatedRegion.privateCopy(operations, process, inode, lengthBytes, mappedBytes);
        });
  }

  @Override
  public Region allocate(long lengthBytes) {
    SimulatedRegion.requireCapacity(lengthBytes);
    return perform(
        Operation.ALLOCATE, "", _ -> SimulatedRegion.anonymous(operations, process, lengthBytes));
  }

  @Override
  public boolean observesMemory() {
    return true;
  }

  @Override
  public FileIdentity identity(String name) {
    String path = path(name);
    return perform(
        Operation.IDENTITY,
        name,
        _ -> {
          Inode inode = files.find(path);
          if (inode == null) {
            throw failure("identify", name, Reason.MISSING);
          }
          return new FileIdentity(files.device, inode.number);
        });
  }

  @Override
  public Optional<UUID> boot() {
    process.checkAlive();
    return Optional.of(disk.boot());
  }

  @Override
  public Optional<Storage> volatilePlace(String name, boolean create, long neededBytes) {
    if (StorageName.requireValid(name).indexOf('/') >= 0) {
      throw new IllegalArgumentException("a volatile place has a name of one part, not " + name);
    }
    return this.<Optional<Storage>>perform(
        create ? Operation.CREATE : Operation.OPEN,
        "volatile:" + name,
        _ -> {
          FileSystem place = disk.volatileFiles();
          if (place == null || place == files) {
            return Optional.empty();
          }
          boolean there = place.isDirectory(name);
          if (create && there) {
            throw failure("create volatile place", name, Reason.EXISTS);
          }
          if (create ? place.freePages() * Pages.PAGE_BYTES < neededBytes : !there) {
            return Optional.empty();
          }
          if (create) {
            place.create(name, true);
          }
          return Optional.of(
              new SimulatedStorage(
                  disk, operations, place, name, process, "simulated volatile place " + name));
        });
  }

  @Override
  public long usableBytes() {
    synchronized (operations.lock()) {
      process.checkAlive();
      return files.freePages() * Pages.PAGE_BYTES;
    }
  }

  @Override
  public boolean isReadOnly() {
    synchronized (operations.lock()) {
      process.checkAlive();
      return files.readOnly;
    }
  }

  @Override
  public void close() {
    process.checkAlive();
    synchronized (operations.lock()) {
      closed = true;
      open.forEach(SimulatedFile::close);
      open.clear();
    }
    held.forEach(SimulatedLock::close);
    held.clear();
  }

  @Override
  public String toString() {
    return description;
  }

  private <T> T perform(Operation kind, String name, DiskOperations.Effect<T> effect) {
    requireOpen(kind.toString());
    return operations.perform(process, files, kind, traced(name), 0, 0, 0, effect);
  }

  private String traced(String name) {
    return root.isEmpty() ? name : root + "/" + name;
  }

  private Inode requireFile(String verb, String name, String path) {
    Inode inode = files.find(path);
    if (inode == null) {
      throw failure(verb, name, Reason.MISSING);
    }
    if (inode.directory) {
      throw failure(verb + " (a directory)", name, Reason.IO);
    }
    return inode;
  }

  private void requireParent(String verb, String name, String path) {
    if (!files.isDirectory(FileSystem.parent(path))) {
      throw failure(verb, name, Reason.MISSING);
    }
  }

  private void requireOpen(String operation) {
    process.checkAlive();
    if (closed) {
      throw new StorageException(Reason.CLOSED, operation + " in " + description, null);
    }
  }

  private StorageException failure(String verb, String name, Reason reason) {
    return new StorageException(reason, verb + " " + description + "/" + name, null);
  }

  private String path(String name) {
    StorageName.requireValid(name);
    return root.isEmpty() ? name : root + "/" + name;
  }
}
