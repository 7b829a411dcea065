package io.howdah.core.storage.file;

import io.howdah.core.Backing;
import io.howdah.core.Region;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StorageName;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory of the machine's file system.
 *
 * <p>The root may be reached through symbolic links, which are resolved once; below it none is
 * followed. If another directory takes the place of the root, every operation that looks up a name
 * fails. Names follow {@link StorageName}. The lock's own files ({@code store.lock}, {@code
 * store.owner}) are out of reach of every other operation, because opening the lock file would lose
 * the lock.
 *
 * <p>Where the machine has no POSIX permissions, no directories that can be forced, or no inodes,
 * the methods concerned do without: such systems are for development.
 *
 * <p>Thread-safe.
 */
public final class FileStorage implements Storage {

  private static final Set<String> RESERVED =
      Set.of(FileStorageLock.FILE_NAME, StoreOwner.FILE_NAME, StoreOwner.FILE_NAME + ".tmp");

  // A directory of a store holds thousands of entries at the very most; a million is somebody
  // else's.
  private static final int MAX_ENTRIES = 1 << 20;

  /** A tmpfs is open to all users: no opening looks at more of it. */
  private static final int MAX_PLACES = 1 << 12;

  private final Path root;

  /** Device and inode of the root, as it was opened. */
  private final Object rootKey;

  private final FileStore fileStore;
  private final FileStorageOptions options;
  private final boolean readOnly;
  private final boolean volatilePlace;
  private final ConcurrentMap<Path, Integer> directAlignment = new ConcurrentHashMap<>();
  private final Set<FileStorageFile> openFiles = ConcurrentHashMap.newKeySet();
  private volatile @Nullable StorageLock lock;
  private volatile boolean closed;

  private FileStorage(Path root, FileStorageOptions options, boolean volatilePlace)
      throws IOException {
    this.root = root;
    this.rootKey = LockFile.fileKey(root);
    this.options = options;
    this.volatilePlace = volatilePlace;
    this.fileStore = Files.getFileStore(root);
    this.readOnly = options.readOnly() || fileStore.isReadOnly() || !Files.isWritable(root);
  }

  /** Opens a directory with {@link FileStorageOptions#DEFAULT}: creates it if it is missing. */
  public static FileStorage open(Path directory) {
    return open(directory, FileStorageOptions.DEFAULT);
  }

  /**
   * Opens a directory.
   *
   * @throws StorageException if it is missing and may not or cannot be created, or belongs to
   *     another user
   * @throws UnsupportedStoreException if it is not a directory, or on a network file system
   */
  public static FileStorage open(Path directory, FileStorageOptions options) {
    Path absolute = directory.toAbsolutePath().normalize();
    try {
      return new FileStorage(RootDirectory.open(absolute, options), options, false);
    } catch (IOException e) {
      IOException cause = FailureReasons.behind(e);
      throw new StorageException(FailureReasons.of(cause), "open directory " + absolute, cause);
    }
  }

  /**
   * Refuses a place for a copy that lies in the directory that is copied, which may be absent.
   * Changes nothing.
   *
   * @throws IllegalArgumentException if it does
   * @throws io.howdah.core.storage.StorageException if that cannot be told
   */
  public static void requireOutside(Path store, Path copy) {
    Path there = copy.toAbsolutePath().normalize();
    boolean isInside = there.startsWith(store.toAbsolutePath().normalize());
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    try {
      if (isInside
          || (there != null
              && Files.exists(store)
              && there.toRealPath().startsWith(store.toRealPath()))) {
        throw new IllegalArgumentException(
            copy + " lies in " + store + "; name a directory outside of it");
      }
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "look up " + store, e);
    }
  }

  @Override
  public String describe() {
    return root.toString();
  }

  @Override
  public boolean exists(String name) {
    Path path = begin("look up", name);
    try {
      requireReal(path);
      return RealPaths.attributes(path) != null;
    } catch (IOException e) {
      throw failure("look up", path, e);
    }
  }

  @Override
  public List<String> list(String directory) {
    Path path = begin("list", directory);
    try {
      requireReal(path);
      BasicFileAttributes attributes = RealPaths.attributes(path);
      if (attributes == null) {
        return List.of();
      }
      RealPaths.requireDirectory(path, attributes);
      List<String> names = new ArrayList<>();
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
        for (Path entry : entries) {
          if (names.size() == MAX_ENTRIES) {
            throw new IOException("more than " + MAX_ENTRIES + " entries: not a store's");
          }
          names.add(String.valueOf(entry.getFileName()));
        }
      }
      Collections.sort(names);
      return Collections.unmodifiableList(names);
    } catch (IOException e) {
      throw failure("list", path, e);
    }
  }

  @Override
  public void createDirectory(String name) {
    Path path = beginChange("create directory", name);
    try {
      requireReal(path);
      try {
        PrivateFiles.createDirectory(path);
      } catch (FileAlreadyExistsException e) {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          throw e;
        }
      }
    } catch (IOException e) {
      throw failure("create directory", path, e);
    }
  }

  @Override
  public StorageFile create(String name) {
    Path path = beginChange("create", name);
    try {
      requireReal(path);
      return remember(new FileStorageFile(this, path.toString(), PrivateFiles.create(path), 1));
    } catch (IOException e) {
      throw failure("create", path, e);
    }
  }

  @Override
  public StorageFile open(String name, Access access) {
    boolean writable = access != Access.READ && (access != Access.DIRECT || !readOnly);
    String operation = writable ? "open for writing" : "open";
    Path path = writable ? beginChange(operation, name) : begin(operation, name);
    try {
      requireReal(path);
      RealPaths.requireRegularFile(path);
      boolean direct = access == Access.DIRECT && writable;
      int alignment = direct ? directAlignment(path) : DirectIo.UNSUPPORTED;
      FileChannel channel =
          alignment == DirectIo.UNSUPPORTED
              ? PrivateFiles.open(path, writable)
              : DirectIo.open(path);
      return remember(new FileStorageFile(this, path.toString(), channel, alignment));
    } catch (IOException e) {
      throw failure(operation, path, e);
    }
  }

  @Override
  public void rename(String from, String to) {
    Path target = resolve(to);
    String operation = "rename to " + to;
    Path path = beginChange(operation, from);
    try {
      requireReal(path);
      RealPaths.requireRealParents(root, target);
      Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw failure(operation, path, e);
    }
  }

  @Override
  public void delete(String name) {
    if (name.isEmpty() && !volatilePlace) {
      throw new IllegalArgumentException("the root of " + root + " is not deleted with its store");
    }
    Path path = beginChange("delete", name);
    try {
      requireReal(path);
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw failure("delete", path, e);
    }
  }

  @Override
  public void forceDirectory(String name) {
    Path path = begin("force directory", name);
    try {
      requireReal(path);
      PrivateFiles.forceDirectory(path);
      if (name.isEmpty() && !volatilePlace) {
        forceNameOfRoot(path);
      }
    } catch (IOException e) {
      throw failure("force directory", path, e);
    }
  }

  /**
   * Who created the root may have been killed before it forced the name. A parent that may not be
   * read holds a root that somebody else created, and answers for.
   */
  private static void forceNameOfRoot(Path root) throws IOException {
    Path parent = root.getParent();
    if (parent != null && Files.isReadable(parent)) {
      PrivateFiles.forceDirectory(parent);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Where nothing can be written the lock is one that readers share, and that excludes a writer.
   * A copy of a store may lack its file; then a writer is noticed, and not excluded.
   */
  @Override
  public StorageLock lock(String owner) {
    Path path = begin("lock", "");
    try {
      requireReal(path);
      StorageLock taken =
          FileStorageLock.acquire(path, owner, readOnly, options.volatileDirectory());
      lock = taken;
      if (!readOnly) {
        removeScratch(path);
      }
      return taken;
    } catch (IOException e) {
      throw failure("lock", path, e);
    }
  }

  @Override
  public Region mapShared(String name, long lengthBytes) {
    Regions.requireWholeWords(lengthBytes);
    return map(
        "map shared, ", name, readOnly ? MapMode.READ_ONLY : MapMode.READ_WRITE, lengthBytes);
  }

  /**
   * {@inheritDoc}
   *
   * <p>A file that this process may not write to cannot be mapped privately: it is loaded instead,
   * which takes as long as reading it.
   */
  @Override
  public Region mapPrivate(String name, long lengthBytes) {
    return mapPrivate(name, lengthBytes, lengthBytes);
  }

  @Override
  public Region mapPrivate(String name, long lengthBytes, long usedBytes) {
    Regions.requireWholeWords(lengthBytes);
    String operation = "map privately, " + lengthBytes + " bytes,";
    Path path = begin(operation, name);
    try {
      requireReal(path);
      RealPaths.requireRegularFile(path);
      boolean writable = !readOnly || Files.isWritable(path);
      try (FileChannel channel = PrivateFiles.open(path, writable)) {
        boolean isShorter = channel.size() < lengthBytes;
        if (!writable || (readOnly && isShorter)) {
          return ImageLoader.load(channel, lengthBytes, usedBytes);
        }
        if (isShorter) {
          Regions.extend(channel, lengthBytes);
        }
        return Regions.mapPrivate(path, channel, lengthBytes, usedBytes, callsForUnusedParts());
      }
    } catch (IOException e) {
      throw failure(operation, path, e);
    }
  }

  /**
   * Returns null in a tmpfs: there a touch of a mapped page reserves the space that a later write
   * of the page needs, and is refused where there is none. Memory beside the file would do neither.
   */
  private @Nullable KernelMemory callsForUnusedParts() {
    KernelMemory calls = KernelMemory.calls();
    return calls == null || VolatilePlaces.isVolatile(fileStore) ? null : calls;
  }

  @Override
  public boolean usesLargePages(Backing backing) {
    return switch (backing) {
      case MAPPED, AUTO -> callsForUnusedParts() != null;
      case SHARED -> false;
      case RESIDENT -> KernelMemory.calls() != null;
    };
  }

  @Override
  public Region mapReadOnly(String name, long lengthBytes) {
    Regions.requireWholeWords(lengthBytes);
    return map("map for reading, ", name, MapMode.READ_ONLY, lengthBytes);
  }

  private Region map(String how, String name, MapMode mode, long lengthBytes) {
    String operation = how + lengthBytes + " bytes,";
    Path path = begin(operation, name);
    try {
      requireReal(path);
      RealPaths.requireRegularFile(path);
      try (FileChannel channel = PrivateFiles.open(path, mode.equals(MapMode.READ_WRITE))) {
        // Mapped beyond its end a file would grow, without blocks behind it.
        if (channel.size() < lengthBytes) {
          throw new IOException("the file has " + channel.size() + " bytes");
        }
        return Regions.map(path, channel, mode, lengthBytes);
      }
    } catch (IOException e) {
      throw failure(operation, path, e);
    }
  }

  @Override
  public Region allocate(long lengthBytes) {
    Regions.requireWholeWords(lengthBytes);
    if (readOnly) {
      requireOpen("allocate memory");
      return Regions.anonymous(lengthBytes);
    }
    String operation = "allocate " + lengthBytes + " bytes of memory through a scratch file in";
    Path path = begin(operation, "");
    try {
      requireReal(path);
      return Regions.anonymous(path, lengthBytes);
    } catch (IOException e) {
      throw failure(operation, path, e);
    }
  }

  @Override
  public FileIdentity identity(String name) {
    Path path = begin("identify", name);
    try {
      requireReal(path);
      if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
        return new FileIdentity(0, 0);
      }
      return new FileIdentity(
          (Long) Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS),
          (Long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS));
    } catch (IOException e) {
      throw failure("identify", path, e);
    }
  }

  @Override
  public Optional<UUID> boot() {
    return RunningKernel.boot();
  }

  @Override
  public String fatalErrorNote() {
    return FatalErrorFiles.note();
  }

  @Override
  public Optional<String> fatalError(String note) {
    return FatalErrorFiles.found(note);
  }

  @Override
  public Optional<Storage> volatilePlace(String name, boolean create, long neededBytes) {
    requireOpen("find a volatile place");
    StorageName.requireSingle(name);
    Path directory = options.volatileDirectory();
    Path place = directory.resolve(name);
    try {
      if ((create && readOnly) || !VolatilePlaces.isVolatile(directory)) {
        return Optional.empty();
      }
      if (create) {
        if (!VolatilePlaces.hasSpace(directory, neededBytes)) {
          return Optional.empty();
        }
        createPlace(place);
      } else if (!VolatilePlaces.isOwn(place)
          && !VolatilePlaces.isOfTrustedOwner(place, root, options.foreignOwnerAllowed())) {
        return Optional.empty();
      }
      return Optional.of(new FileStorage(place.toRealPath(), options, true));
    } catch (IOException e) {
      throw new StorageException(FailureReasons.of(e), "open volatile place " + place, e);
    }
  }

  private void createPlace(Path place) throws IOException {
    PrivateFiles.createDirectory(place);
    boolean isWritten = false;
    try {
      PlaceNote.write(place, root, rootKey);
      isWritten = true;
    } finally {
      if (!isWritten) {
        Files.deleteIfExists(place.resolve(PlaceNote.FILE_NAME));
        Files.deleteIfExists(place);
      }
    }
  }

  @Override
  public void removeAbandonedPlaces() {
    requireOpen("remove volatile places");
    VolatileDirectory.removeAbandoned(options.volatileDirectory());
  }

  @Override
  public List<String> volatilePlaces() {
    requireOpen("list volatile places");
    Path directory = options.volatileDirectory();
    List<String> names = new ArrayList<>();
    try {
      if (VolatilePlaces.isVolatile(directory)) {
        VolatilePlaces.addOwn(directory, MAX_PLACES, names);
      }
    } catch (IOException | DirectoryIteratorException e) {
      // What was found until then.
    }
    return names;
  }

  @Override
  public long usableBytes() {
    requireOpen("ask for space");
    try {
      return fileStore.getUsableSpace();
    } catch (IOException e) {
      throw new StorageException(FailureReasons.of(e), "ask for space in " + root, e);
    }
  }

  @Override
  public boolean isReadOnly() {
    return readOnly;
  }

  /**
   * Closes the files and the lock that are still open. Regions stay mapped until their owner closes
   * them: threads may be using them.
   */
  @Override
  public void close() {
    closed = true;
    StorageException first = null;
    for (StorageFile file : List.copyOf(openFiles)) {
      try {
        file.close();
      } catch (StorageException e) {
        first = first == null ? e : first;
      }
    }
    // Last, so that nobody else comes in while files are open here.
    StorageLock held = lock;
    if (held != null) {
      held.close();
    }
    if (first != null) {
      throw first;
    }
  }

  @Override
  public String toString() {
    return "FileStorage[" + root + (readOnly ? ", read-only]" : "]");
  }

  void forget(StorageFile file) {
    openFiles.remove(file);
  }

  boolean hasNoRoomFor(long lengthBytes) {
    try {
      return fileStore.getUsableSpace() < lengthBytes;
    } catch (IOException e) {
      return false;
    }
  }

  private FileStorageFile remember(FileStorageFile file) {
    openFiles.add(file);
    // close() may have passed by between the check and the addition.
    if (closed) {
      file.close();
      throw closed("open " + file.describe());
    }
    return file;
  }

  private int directAlignment(Path file) throws IOException {
    Path directory = Objects.requireNonNull(file.getParent());
    Integer known = directAlignment.get(directory);
    if (known == null) {
      known = DirectIo.probe(file);
      directAlignment.put(directory, known);
    }
    return known;
  }

  /** Removes what processes left behind that were killed between creating and unlinking. */
  private static void removeScratch(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (isScratch(entry)) {
          Files.deleteIfExists(entry);
        }
      }
    }
  }

  private static boolean isScratch(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.startsWith(Regions.SCRATCH_PREFIX) && name.endsWith(Regions.SCRATCH_SUFFIX);
  }

  private Path resolve(String name) {
    if (name.isEmpty()) {
      return root;
    }
    if (RESERVED.contains(StorageName.requireValid(name))) {
      throw new IllegalArgumentException(name + " belongs to the store's lock");
    }
    return root.resolve(name);
  }

  private void requireOpen(String operation) {
    if (closed) {
      throw closed(operation + " in " + root);
    }
  }

  private static StorageException closed(String operation) {
    return new StorageException(Reason.CLOSED, operation, null);
  }

  // Each operation begins with one of these two and looks at the way to its path with requireReal.
  // It is not a lambda between the two: a new JVM takes half a millisecond for each, and an opening
  // takes most of them.

  private Path begin(String operation, String name) {
    Path path = resolve(name);
    requireOpen(operation);
    return path;
  }

  private Path beginChange(String operation, String name) {
    if (readOnly) {
      throw new StorageException(
          Reason.ACCESS_DENIED, operation + " " + resolve(name) + " in a read-only storage", null);
    }
    return begin(operation, name);
  }

  /** Refuses a path that leads through a symbolic link, or another root than the one opened. */
  private void requireReal(Path path) throws IOException {
    if (!readOnly) {
      RealPaths.requireSameDirectory(root, rootKey);
    }
    RealPaths.requireRealParents(root, path);
  }

  private static StorageException failure(String operation, Path path, IOException e) {
    return new StorageException(FailureReasons.of(e), operation + " " + path, e);
  }
}
