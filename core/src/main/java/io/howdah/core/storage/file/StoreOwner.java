package io.howdah.core.storage.file;

import io.howdah.core.Execution;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code store.owner}: who opened the store for writing. Its first line is for people, in
 * the message that others get. Its second line names the process, and the directory by device and
 * inode; an opener believes it if it names that very directory, and refuses while the process runs
 * ({@link FileStorageLock}). A process that was killed leaves its file behind, a copy of a store
 * has one of another directory: both claim nothing.
 */
final class StoreOwner {

  /** Name of the file, in the store's root. */
  static final String FILE_NAME = "store.owner";

  private static final String RECORD = "owner-1";
  private static final String NONE =
      "a process that left no description, as those that only read leave none";
  private static final int MAX_LENGTH = 2048;
  private static final int MAX_LINE_LENGTH = 512;

  /** Number of fields in the second line. */
  private static final int FIELDS = 7;

  private StoreOwner() {}

  /**
   * A claim to a directory.
   *
   * @param process that made it
   * @param directory device and inode of the store's root, as text without blanks
   * @param opening tells the openings of one process apart
   */
  record Claim(ProcessIdentity process, String directory, String opening) {

    /** Returns a new claim by this process, empty where the system cannot identify it. */
    static Optional<Claim> bySelf(Object directoryKey) {
      Optional<ProcessIdentity> self = ProcessIdentity.self();
      return self.isPresent()
          ? Optional.of(new Claim(self.get(), name(directoryKey), randomText()))
          : Optional.empty();
    }

    private static String randomText() {
      Execution system = Execution.system();
      return new UUID(system.randomLong(), system.randomLong()).toString();
    }

    /** Returns whether the claim is to the directory of this key. */
    boolean isTo(Object directoryKey) {
      return directory.equals(name(directoryKey));
    }

    private static String name(Object directoryKey) {
      char[] name = directoryKey.toString().toCharArray();
      for (int i = 0; i < name.length; i++) {
        // What ends a field of the line, or the line.
        name[i] = name[i] == ' ' || (name[i] >= '\t' && name[i] <= '\r') ? '_' : name[i];
      }
      return new String(name);
    }

    /**
     * Written out, since the JVM generates the method of a record at its first call: in an opening.
     */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Claim that
          && process.equals(that.process)
          && directory.equals(that.directory)
          && opening.equals(that.opening);
    }

    @Override
    public int hashCode() {
      return opening.hashCode();
    }

    String line() {
      return String.join(
          " ",
          RECORD,
          process.boot(),
          process.namespaces(),
          Long.toString(process.pid()),
          Long.toString(process.startTicks()),
          directory,
          opening);
    }

    static @Nullable Claim parse(String line) {
      String[] fields = line.split(" ", -1);
      if (fields.length != FIELDS || !fields[0].equals(RECORD)) {
        return null;
      }
      try {
        ProcessIdentity process =
            new ProcessIdentity(
                fields[1], fields[2], Long.parseLong(fields[3]), Long.parseLong(fields[4]));
        return new Claim(process, fields[5], fields[6]);
      } catch (NumberFormatException e) {
        return null;
      }
    }
  }

  /**
   * What the file says.
   *
   * @param description a line that is safe to print
   * @param claim the claim, null if there is none that can be understood
   */
  record Contents(String description, @Nullable Claim claim) {

    /** Returns who may have the lock: not who was killed and left the file, if that can be told. */
    String holder() {
      Optional<ProcessIdentity> self = ProcessIdentity.self();
      boolean hasEnded =
          claim != null
              && self.isPresent()
              && claim.process().life(self.get()) == ProcessIdentity.Life.ENDED;
      return hasEnded ? NONE : description;
    }
  }

  /** Returns one line about this process: pid, host, time, and the holder's own words. */
  static String describeSelf(String owner) {
    return printable(
        "process "
            + ProcessIdentity.ownPid()
            + " on host "
            + RunningKernel.hostName()
            + ", which opened it at "
            + OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS)
            + (owner.isEmpty() ? "" : ": " + owner));
  }

  /**
   * Writes the file, whole or not at all. Where that fails, say because the disk is full, the old
   * one is removed: a store that cannot name its holder is still locked, one that names another
   * misleads.
   *
   * @return whether it was written
   */
  static boolean write(Path root, String line, @Nullable Claim claim) {
    Path file = root.resolve(FILE_NAME);
    try {
      Path next = root.resolve(FILE_NAME + ".tmp");
      Files.deleteIfExists(next);
      try (FileChannel channel = PrivateFiles.create(next)) {
        String text = line + "\n" + (claim == null ? "" : claim.line() + "\n");
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (IOException e) {
      remove(root);
      return false;
    }
  }

  /** Returns what the file says; a file that is missing or cannot be read claims nothing. */
  static Contents read(Path root) {
    try {
      return readFile(root);
    } catch (IOException e) {
      return new Contents(NONE, null);
    }
  }

  /**
   * Returns what the file says.
   *
   * @throws java.nio.file.NoSuchFileException if it is missing
   * @throws IOException if it cannot be read, say because there are no more file descriptors
   */
  static Contents readFile(Path root) throws IOException {
    Path file = root.resolve(FILE_NAME);
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileSystemException(file.toString(), null, "not a regular file");
    }
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer bytes = ByteBuffer.allocate(MAX_LENGTH);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
      String[] lines =
          StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip().split("\n", -1);
      return new Contents(printable(lines[0]), lines.length < 2 ? null : Claim.parse(lines[1]));
    }
  }

  /**
   * Removes the file.
   *
   * @return whether it is gone
   */
  static boolean remove(Path root) {
    try {
      Files.deleteIfExists(root.resolve(FILE_NAME));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static String printable(String text) {
    StringBuilder line = new StringBuilder(Math.min(text.length(), MAX_LINE_LENGTH));
    int i = 0;
    for (int n = 0; n < MAX_LINE_LENGTH && i < text.length(); n++) {
      int c = text.codePointAt(i);
      line.appendCodePoint(Character.isISOControl(c) ? ' ' : c);
      i += Character.charCount(c);
    }
    return line.toString();
  }
}
