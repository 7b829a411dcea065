package io.howdah.core.storage.file;

import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The volatile places of all stores of this user in a tmpfs: what lies there, whose it is, and the
 * removal of what no process uses. Symbolic links, files of other users and whatever else Howdah
 * did not make are named and left alone.
 *
 * <p>A place is removed under the second lock of its store ({@link FileStorageLock}), which is
 * named after the store's directory and lies in the same tmpfs. So no process has the store open
 * meanwhile, whatever it sees of this one's processes and directories, and also if the store was
 * moved.
 */
public final class VolatileDirectory {

  /** How names of places start. */
  private static final String PREFIX = "howdah-";

  /** A tmpfs is open to all users: no look at it is longer. */
  private static final int MAX_ENTRIES = 1 << 12;

  /** A ring for each partition, and the note; a place with more is somebody else's. */
  private static final int MAX_FILES = 1 << 10;

  private VolatileDirectory() {}

  /** Whether a process uses a place, and whether its store is there. */
  public enum State {
    /** The process that made it runs. */
    OPEN,
    /** Nothing can be said of that process from here: it may run in another container. */
    UNKNOWN,
    /**
     * The process has ended, and the store's directory is there: its next opening takes the place.
     */
    LEFT,
    /** The process has ended, and the store's directory is gone from its path. */
    ABANDONED
  }

  /** What can be said of a process. */
  public enum OwnerState {
    /** It runs. */
    RUNS,
    /** It has ended. */
    ENDED,
    /** It cannot be seen from here. */
    UNKNOWN
  }

  /**
   * The process that uses a place, or has used it last: the one that made it, or a later one that
   * has opened its store.
   *
   * @param pid its number, in its own namespace of processes
   * @param state whether it runs
   */
  public record Owner(long pid, OwnerState state) {}

  /**
   * A volatile place.
   *
   * @param name in the tmpfs
   * @param store path of the store's directory
   * @param process that made it, a line for people
   * @param owner the process that uses it, or has used it last
   * @param bytes of its files
   * @param since when it was made
   * @param unforcedBytes records that are in its rings alone, in bytes; empty if a ring is damaged,
   *     or a commit was under way in one
   */
  public record Place(
      String name,
      Path store,
      String process,
      Owner owner,
      State state,
      long bytes,
      Instant since,
      OptionalLong unforcedBytes) {

    /** Returns whether its store lacks nothing without it: the log has all that its rings say. */
    public boolean isForced() {
      return unforcedBytes.equals(OptionalLong.of(0));
    }
  }

  /**
   * Something that has the name of a place.
   *
   * @param why it is left alone
   */
  public record Foreign(String name, String why) {}

  /**
   * What lies in a tmpfs.
   *
   * @param places by name
   * @param foreign what is left alone, by name
   * @param isComplete false if there is too much to look at
   */
  public record Listing(List<Place> places, List<Foreign> foreign, boolean isComplete) {

    /** Copies the lists. */
    public Listing {
      places = List.copyOf(places);
      foreign = List.copyOf(foreign);
    }
  }

  /**
   * Lists the places in a tmpfs. Changes nothing.
   *
   * @throws StorageException if the directory cannot be read
   */
  public static Listing list(Path directory) {
    List<Place> places = new ArrayList<>();
    List<Foreign> foreign = new ArrayList<>();
    boolean isComplete = true;
    ProcessIdentity self = self();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      int seen = 0;
      for (Path entry : entries) {
        if (seen++ == MAX_ENTRIES) {
          isComplete = false;
          break;
        }
        if (String.valueOf(entry.getFileName()).startsWith(PREFIX)) {
          add(entry, self, places, foreign);
        }
      }
    } catch (IOException e) {
      throw failure("list", directory, e);
    } catch (DirectoryIteratorException e) {
      throw failure("list", directory, e.getCause());
    }
    places.sort(Comparator.comparing(Place::name));
    foreign.sort(Comparator.comparing(Foreign::name));
    return new Listing(places, foreign, isComplete);
  }

  private static void add(
      Path entry, @Nullable ProcessIdentity self, List<Place> places, List<Foreign> foreign)
      throws IOException {
    String name = String.valueOf(entry.getFileName());
    try {
      String why = whyForeign(entry, name);
      if (why == null) {
        places.add(place(entry, name, self));
      } else if (!why.isEmpty()) {
        foreign.add(new Foreign(name, why));
      }
    } catch (NoSuchFileException e) {
      // It was removed meanwhile.
    }
  }

  /** Returns why an entry is left alone, null if it is a place, empty if it is a lock. */
  private static @Nullable String whyForeign(Path entry, String name) throws IOException {
    BasicFileAttributes attributes =
        Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    Object owner = RealPaths.owner(entry);
    if (attributes.isSymbolicLink()) {
      return "a symbolic link";
    }
    if (!owner.equals(RunningKernel.userId())) {
      return "of user " + owner;
    }
    if (attributes.isRegularFile() && name.startsWith(FileStorageLock.OUTSIDE_PREFIX)) {
      return "";
    }
    if (!attributes.isDirectory()) {
      return "no directory";
    }
    if (!VolatilePlaces.isOwn(entry)) {
      return "open to other users";
    }
    String strange = strangeFile(entry);
    if (strange != null) {
      return "it holds " + strange + ", which is not a file of this user";
    }
    return PlaceNote.read(entry) == null ? "it does not say which store it belongs to" : null;
  }

  /** Returns the name of something in a place that is no file of this user, or null. */
  private static @Nullable String strangeFile(Path place) throws IOException {
    Integer self = RunningKernel.userId();
    int count = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(place)) {
      for (Path file : files) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
            || !RealPaths.owner(file).equals(self)
            || count++ == MAX_FILES) {
          return String.valueOf(file.getFileName());
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return null;
  }

  /** Returns whether a file is named as a ring is, by the number of its partition. */
  private static boolean isRing(String name) {
    return name.length() <= 3 && !name.isEmpty() && isNumber(name);
  }

  private static boolean isNumber(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  private static Place place(Path entry, String name, @Nullable ProcessIdentity self)
      throws IOException {
    PlaceNote note = PlaceNote.read(entry);
    if (note == null) {
      throw new NoSuchFileException(entry.toString()); // it is being removed
    }
    long bytes = 0;
    long unforced = 0;
    boolean isKnown = true;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(entry)) {
      for (Path file : files) {
        bytes += Files.size(file);
        if (isRing(String.valueOf(file.getFileName()))) {
          long ofRing = unforcedBytes(file);
          isKnown &= ofRing >= 0;
          unforced += Math.max(0, ofRing);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    Owner owner = owner(note, self);
    return new Place(
        name,
        note.store(),
        note.description(),
        owner,
        state(note, owner),
        bytes,
        Files.getLastModifiedTime(entry, LinkOption.NOFOLLOW_LINKS).toInstant(),
        isKnown ? OptionalLong.of(unforced) : OptionalLong.empty());
  }

  /** Returns this process, null where the system does not tell enough. */
  private static @Nullable ProcessIdentity self() {
    return ProcessIdentity.self().orElse(null);
  }

  private static State state(PlaceNote note, @Nullable ProcessIdentity self) {
    return state(note, owner(note, self));
  }

  private static State state(PlaceNote note, Owner owner) {
    return switch (owner.state()) {
      case RUNS -> State.OPEN;
      case UNKNOWN -> State.UNKNOWN;
      case ENDED -> note.isStoreGone() ? State.ABANDONED : State.LEFT;
    };
  }

  /** Returns the process that made the place, or a later one that has opened the store. */
  private static Owner owner(PlaceNote note, @Nullable ProcessIdentity self) {
    ProcessIdentity maker = note.claim().process();
    if (self == null) {
      return new Owner(maker.pid(), OwnerState.UNKNOWN);
    }
    Owner made = owner(maker, self);
    StoreOwner.Claim later = StoreOwner.read(note.store()).claim();
    if (made.state() != OwnerState.ENDED
        || later == null
        || !later.directory().equals(note.claim().directory())) {
      return made;
    }
    return owner(later.process(), self);
  }

  private static Owner owner(ProcessIdentity process, ProcessIdentity self) {
    return new Owner(
        process.pid(),
        switch (process.life(self)) {
          case RUNS -> OwnerState.RUNS;
          case ENDED -> OwnerState.ENDED;
          case UNKNOWN -> OwnerState.UNKNOWN;
        });
  }

  /**
   * Returns the length of the records that a ring has and the log has not; -1 if it is no ring, or
   * announces a commit. The announcement explains an LSN that is missing from the log. Without it,
   * recovery discards later commits that are in the log (docs/protocol.md, R9 and R26).
   */
  private static long unforcedBytes(Path file) throws IOException {
    ByteBuffer header =
        ByteBuffer.allocate(RingLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = PrivateFiles.open(file, false)) {
      while (header.hasRemaining() && channel.read(header) >= 0) {}
      long capacity = channel.size() - RingLayout.HEADER_LENGTH;
      if (header.hasRemaining() || header.getLong(RingLayout.MAGIC_OFFSET) != RingLayout.MAGIC) {
        return -1;
      }
      long tail = header.getLong(RingLayout.TAIL_OFFSET);
      long forced = header.getLong(RingLayout.FORCED_OFFSET);
      boolean isIdle = header.getLong(RingLayout.INFLIGHT_OFFSET) == RingLayout.IDLE;
      return isIdle && forced >= 0 && tail >= forced && tail - forced <= capacity
          ? tail - forced
          : -1;
    }
  }

  /**
   * Removes a place, unless a process uses it.
   *
   * @param directory the tmpfs
   * @param place as it was listed
   * @return why it was left; empty if it is gone
   */
  public static Optional<String> remove(Path directory, Place place) {
    Path path = directory.resolve(place.name());
    PlaceNote note = PlaceNote.read(path);
    if (note == null) {
      return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
          ? Optional.of("it does not say which store it belongs to")
          : Optional.empty();
    }
    Path lockPath = directory.resolve(FileStorageLock.outsideName(note.claim().directory()));
    try (LockFile lock = LockFile.acquire(lockPath, false, FileStorageLock.OWN_FILES)) {
      try {
        return removeLocked(path, note, place.state());
      } finally {
        lock.delete();
      }
    } catch (LockFile.HeldException | LockFile.ReplacedException e) {
      return Optional.of("its store is open");
    } catch (IOException e) {
      return Optional.of("it could not be removed: " + e);
    }
  }

  private static Optional<String> removeLocked(Path path, PlaceNote note, State listed)
      throws IOException {
    // An opening may have made another place of this name before the lock was taken.
    if (!note.equals(PlaceNote.read(path))) {
      return Optional.of("another process has taken it");
    }
    State state = state(note, self());
    if (state == State.OPEN) {
      return Optional.of("it is in use by " + note.description());
    }
    if (state != listed) {
      return Optional.of(
          "its store's directory is there again, or its process is not visible any more");
    }
    String why = whyForeign(path, String.valueOf(path.getFileName()));
    if (why != null) {
      return Optional.of(why);
    }
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      entries.forEach(files::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    // The note goes last: until then the place says whose it is.
    files.sort(Comparator.comparing(file -> file.endsWith(PlaceNote.FILE_NAME)));
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(path);
    return Optional.empty();
  }

  /** Removes the places that {@link io.howdah.core.storage.Storage#removeAbandonedPlaces} names. */
  static void removeAbandoned(Path directory) {
    try {
      if (!VolatilePlaces.isVolatile(directory)) {
        return;
      }
      List<String> names = new ArrayList<>();
      VolatilePlaces.addOwn(directory, MAX_ENTRIES, names);
      ProcessIdentity self = names.isEmpty() ? null : self(); // an opening waits for each file
      for (String name : names) {
        Path path = directory.resolve(name);
        PlaceNote note = name.startsWith(PREFIX) ? PlaceNote.read(path) : null;
        // Most places belong to a store that is there, which takes one look.
        if (note != null && note.isStoreGone() && state(note, self) == State.ABANDONED) {
          Place place = place(path, name, self);
          if (place.isForced()) {
            remove(directory, place);
          }
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // What remains takes memory and has no other effect.
    }
  }

  private static StorageException failure(String operation, Path path, @Nullable IOException e) {
    IOException cause = Objects.requireNonNull(e);
    return new StorageException(FailureReasons.of(cause), operation + " " + path, cause);
  }
}
