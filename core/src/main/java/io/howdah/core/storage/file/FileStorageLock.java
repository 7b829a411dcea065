package io.howdah.core.storage.file;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StoreLockedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a store: {@code store.lock}, and what stands beside it because that lock is easily
 * lost (docs/protocol.md, "One writer").
 *
 * <p>The system's locks belong to the process and the file: when a process closes any channel on a
 * file, its locks on that file are gone. So nothing but this class ever opens {@code store.lock},
 * and this class asks the registry of stores open in this JVM, and then the claim in {@code
 * store.owner}, before it does. For the same reason all readers of a store in this JVM share one
 * channel, which the last of them closes. A program may copy the directory all the same: then the
 * claim and the lock on a file outside of the directory keep others out until {@link #keep} has
 * taken the lock again.
 */
final class FileStorageLock implements StorageLock {

  /** Name of the file, in the store's root. */
  static final String FILE_NAME = "store.lock";

  /** How names of the locks outside of the store's directory start. */
  static final String OUTSIDE_PREFIX = "howdah-lock-";

  // What this JVM holds, by the file key of the root directory. Guarded by itself.
  private static final Map<Object, Holding> HELD_HERE = new HashMap<>();

  private static final int MOST_GIVEN_UP = 1 << 12;

  // The last claims given up here. Each file was to be removed, but some were moved before, and a
  // file system may lose the removal of others. Guarded by HELD_HERE.
  private static final Set<String> GIVEN_UP = new LinkedHashSet<>();

  private final Path root;
  private final Object registryKey;
  private final Holding holding;
  private final AtomicBoolean closed = new AtomicBoolean();

  private FileStorageLock(Path root, Object registryKey, Holding holding) {
    this.root = root;
    this.registryKey = registryKey;
    this.holding = holding;
  }

  /** A lock of the system's, and how many share it here. */
  private static final class Holding {
    private final String owner;
    private final boolean readOnly;
    private final LockFile lock;
    private final @Nullable LockFile outside;
    private final StoreOwner.@Nullable Claim claim; // null if it could not be written
    private int sharers; // guarded by HELD_HERE

    Holding(
        String owner,
        boolean readOnly,
        LockFile lock,
        @Nullable LockFile outside,
        StoreOwner.@Nullable Claim claim) {
      this.owner = owner;
      this.readOnly = readOnly;
      this.lock = lock;
      this.outside = outside;
      this.claim = claim;
    }

    void close() throws IOException {
      try (lock) {
        closeOutside(outside, !readOnly);
      }
    }
  }

  /**
   * Takes the lock, without waiting.
   *
   * @param readOnly takes a lock that other readers may share, here and in other processes, and
   *     that excludes a writer. Where the file is missing, so that a writer would have to create it
   *     first, the lock only notices that, and excludes nobody
   * @param outside a directory of the machine's, where a second lock is taken; null for none
   * @throws StoreLockedException if somebody holds it
   */
  static StorageLock acquire(Path root, String owner, boolean readOnly, @Nullable Path outside)
      throws IOException {
    return acquire(root, owner, readOnly, outside, new Opening(false));
  }

  /** Takes the lock on a file opened by the caller's means. */
  static StorageLock acquire(
      Path root, String owner, boolean readOnly, @Nullable Path outside, LockFile.Opener opener)
      throws IOException {
    Object registryKey = LockFile.fileKey(root);
    String self = StoreOwner.describeSelf(owner);
    synchronized (HELD_HERE) {
      Holding holding = HELD_HERE.get(registryKey);
      if (holding != null && !(readOnly && holding.readOnly)) {
        throw new StoreLockedException(
            "store "
                + root
                + " is already open in this JVM by "
                + holding.owner
                + "; use that one, or close it first");
      }
      if (holding == null) {
        requireUnclaimed(root, registryKey);
        Path path = root.resolve(FILE_NAME);
        if (readOnly && !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
          return new MissingLock(path);
        }
        holding = hold(root, registryKey, self, readOnly, outside, opener);
        HELD_HERE.put(registryKey, holding);
      }
      holding.sharers++;
      return new FileStorageLock(root, registryKey, holding);
    }
  }

  /**
   * Refuses while the process runs that has last opened the store for writing, whether or not its
   * lock is still there. Before anything is opened: to open and close the file could drop the lock.
   */
  private static void requireUnclaimed(Path root, Object registryKey) {
    StoreOwner.Contents contents = StoreOwner.read(root);
    StoreOwner.Claim claim = contents.claim();
    ProcessIdentity self = ProcessIdentity.self().orElse(null);
    if (claim == null
        || self == null
        || !claim.isTo(registryKey)
        || GIVEN_UP.contains(claim.opening())
        || claim.process().life(self) != ProcessIdentity.Life.RUNS) {
      return;
    }
    throw new StoreLockedException(
        claim.process().equals(self)
            ? "store "
                + root
                + " is already open in this JVM, from another class loader; close it there first"
            : "store "
                + root
                + " is open elsewhere, by "
                + contents.description()
                + "; close it there, or end that process");
  }

  /** In place of a lock whose file is missing: held until the file appears. */
  private record MissingLock(Path path) implements StorageLock {
    @Override
    public boolean isHeld() {
      return !Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public boolean excludesWriters() {
      return false;
    }

    @Override
    public void close() {}
  }

  private static Holding hold(
      Path root,
      Object registryKey,
      String owner,
      boolean readOnly,
      @Nullable Path outsideDirectory,
      LockFile.Opener opener)
      throws IOException {
    // First, so that whoever is refused here has not touched the lock in the directory, at which
    // its holder looks.
    LockFile outside = holdOutside(root, registryKey, readOnly, outsideDirectory);
    LockFile lock = null;
    Holding result = null;
    try {
      lock = LockFile.acquire(root.resolve(FILE_NAME), readOnly, opener);
      // The holder may have made its claim since the first look, and lost its lock.
      requireUnclaimed(root, registryKey);
      StoreOwner.Claim claim = null;
      if (!readOnly) {
        claim = StoreOwner.Claim.bySelf(registryKey).orElse(null);
        boolean written = StoreOwner.write(root, owner, claim);
        claim = written ? claim : null;
      }
      result = new Holding(owner, readOnly, lock, outside, claim);
      return result;
    } catch (LockFile.HeldException e) {
      throw refused(root, e);
    } catch (LockFile.ReplacedException e) {
      throw new StoreLockedException(
          "store "
              + root
              + ": "
              + FILE_NAME
              + " is replaced again and again by another process; stop that process first",
          e);
    } finally {
      if (result == null) {
        if (lock != null) {
          lock.close();
        }
        closeOutside(outside, !readOnly);
      }
    }
  }

  private static StoreLockedException refused(Path root, LockFile.HeldException e) {
    return e.isHere()
        ? new StoreLockedException(
            "store "
                + root
                + " is already open in this JVM, from another class loader; close it there first",
            e)
        : new StoreLockedException(
            "store "
                + root
                + " is open elsewhere, by "
                + StoreOwner.read(root).holder()
                + "; close it there, or end that process",
            e);
  }

  // ---- The lock outside of the directory.

  /**
   * Takes a lock on a file that no copy of the store's directory touches, and that lies where only
   * this machine's processes are. Null where there is no such place, where its file is not this
   * user's, or, for a reader, not there: the other means do without.
   */
  private static @Nullable LockFile holdOutside(
      Path root, Object registryKey, boolean readOnly, @Nullable Path directory) {
    if (directory == null) {
      return null;
    }
    Path path = directory.resolve(outsideName(registryKey));
    try {
      if (!VolatilePlaces.isVolatile(directory)
          || (readOnly && !Files.exists(path, LinkOption.NOFOLLOW_LINKS))) {
        return null;
      }
      return LockFile.acquire(path, readOnly, OWN_FILES);
    } catch (LockFile.HeldException e) {
      throw refused(root, e);
    } catch (IOException | LockFile.ReplacedException e) {
      return null;
    }
  }

  /** Opens lock files of this user alone. */
  static final LockFile.Opener OWN_FILES = new Opening(true);

  private static final class Opening implements LockFile.Opener {
    private final boolean isOwnOnly;

    Opening(boolean isOwnOnly) {
      this.isOwnOnly = isOwnOnly;
    }

    @Override
    public FileChannel open(Path path, boolean writable) throws IOException {
      if (isOwnOnly) {
        VolatilePlaces.requireOwnFile(path);
      }
      return PrivateFiles.open(path, writable);
    }
  }

  /** Returns the name of the file for a directory, by the directory's device and inode. */
  static String outsideName(Object registryKey) {
    long hash = 0;
    String key = registryKey.toString();
    for (int i = 0; i < key.length(); i++) {
      hash = RedoRecordLayout.mix(hash, key.charAt(i));
    }
    return OUTSIDE_PREFIX + Long.toHexString(hash);
  }

  private static void closeOutside(@Nullable LockFile outside, boolean delete) {
    if (outside != null) {
      try (outside) {
        if (delete) {
          outside.delete();
        }
      } catch (IOException e) {
        // It holds nothing but the lock, which went with the channel.
      }
    }
  }

  // ---- The holder.

  @Override
  public boolean isHeld() {
    return !closed.get() && holding.lock.isHeld();
  }

  @Override
  public @Nullable String keep() {
    // Not the registry's monitor: a disk that hangs under one store would stop the others.
    synchronized (holding) {
      if (closed.get() || holding.readOnly) {
        return null;
      }
      try {
        return whyLost();
      } catch (IOException e) {
        return null; // no descriptors, or the disk is in trouble: not what is asked here
      }
    }
  }

  private @Nullable String whyLost() throws IOException {
    if (!isDirectoryInPlace()) {
      return "the directory was removed or replaced while the store was open; further commits"
          + " would be lost";
    }
    StoreOwner.Claim claim = holding.claim;
    if (claim != null && !claim.equals(claimInFile())) {
      return StoreOwner.FILE_NAME
          + " was removed or replaced while the store was open: another process may have opened the"
          + " store";
    }
    if (!holding.lock.keep()) {
      return "another process has taken the lock of "
          + FILE_NAME
          + ", which was removed, or opened and closed by this process, while the store was open";
    }
    LockFile outside = holding.outside;
    return outside == null || outside.keep()
        ? null
        : "another process has taken the second lock of the store, which was removed while the"
            + " store was open";
  }

  private boolean isDirectoryInPlace() throws IOException {
    try {
      return registryKey.equals(LockFile.fileKey(root));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private StoreOwner.@Nullable Claim claimInFile() throws IOException {
    try {
      return StoreOwner.readFile(root).claim();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    synchronized (HELD_HERE) {
      if (--holding.sharers > 0) {
        return;
      }
      if (!holding.readOnly) {
        withdrawClaim();
      }
      try {
        synchronized (holding) { // a look that is under way comes to its end
          holding.close();
        }
      } catch (IOException e) {
        throw new StorageException(
            FailureReasons.of(e), "release the lock on " + root.resolve(FILE_NAME), e);
      } finally {
        HELD_HERE.remove(registryKey);
      }
    }
  }

  /** Removes the claim, unless somebody else has made another since. */
  private void withdrawClaim() {
    StoreOwner.Claim claim = holding.claim;
    StoreOwner.Claim found = StoreOwner.read(root).claim();
    boolean isOwn = isDirectoryKnown() && (found == null || found.equals(claim));
    if (isOwn) {
      StoreOwner.remove(root);
    }
    // Gone or not: where the directory was moved, the claim lies somewhere else.
    if (claim != null) {
      GIVEN_UP.add(claim.opening());
      if (GIVEN_UP.size() > MOST_GIVEN_UP) {
        GIVEN_UP.remove(GIVEN_UP.iterator().next());
      }
    }
  }

  private boolean isDirectoryKnown() {
    try {
      return isDirectoryInPlace();
    } catch (IOException e) {
      return false;
    }
  }
}
