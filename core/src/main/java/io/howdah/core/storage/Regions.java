package io.howdah.core.storage;

import io.howdah.core.Region;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Makes regions of real memory. Thread-safe. */
public final class Regions {

  /** How names of scratch files start: a process killed before it unlinked one leaves it behind. */
  static final String SCRATCH_PREFIX = "scratch-";

  /** How names of scratch files end. */
  static final String SCRATCH_SUFFIX = ".tmp";

  private static final AtomicLong SCRATCH_COUNT = new AtomicLong();

  // Memory from an arena is zeroed before it is handed out, at about 1 GiB/s: fine for small
  // regions,
  // seconds for large ones, and every page of it is occupied at once.
  private static final long EAGER_LIMIT_BYTES = 1 << 20;

  private static final int ARENA_ALIGNMENT_BYTES = 4096;

  private Regions() {}

  /**
   * Returns zeroed memory that belongs to no store. Up to 1 MiB it is occupied at once; larger
   * regions map a nameless sparse file in the directory {@code java.io.tmpdir} privately, if there
   * is one, so pages are occupied as they are touched and never written back.
   *
   * @param lengthBytes a positive multiple of 8
   * @throws StorageException if memory or address space ran out
   */
  public static Region anonymous(long lengthBytes) {
    requireWholeWords(lengthBytes);
    if (lengthBytes > EAGER_LIMIT_BYTES) {
      try {
        return scratch(Path.of(System.getProperty("java.io.tmpdir", "/tmp")), lengthBytes);
      } catch (IOException e) {
        if (FailureReasons.of(e) == StorageException.Reason.NO_MEMORY) {
          throw new StorageException(
              StorageException.Reason.NO_MEMORY, "map " + lengthBytes + " bytes", e);
        }
        // No directory to write to: memory that is occupied at once does the same work.
      }
    }
    return eager(lengthBytes);
  }

  /** Maps a nameless sparse file in {@code directory} privately: zeroed, occupied when touched. */
  static Region scratch(Path directory, long lengthBytes) throws IOException {
    // Whoever else knows the name cannot use it: the file is created new, for this user alone. So
    // it
    // need not be random, and no store waits for a random generator to start.
    Path file =
        directory.resolve(
            SCRATCH_PREFIX
                + ProcessHandle.current().pid()
                + "-"
                + Long.toHexString(System.nanoTime())
                + "-"
                + SCRATCH_COUNT.incrementAndGet()
                + SCRATCH_SUFFIX);
    try (FileChannel channel = PrivateFiles.create(file)) {
      Files.delete(file);
      extend(channel, lengthBytes);
      return map(channel, MapMode.PRIVATE, lengthBytes);
    }
  }

  /** Maps the first bytes of a file that is at least that long. */
  static Region map(FileChannel channel, MapMode mode, long lengthBytes) throws IOException {
    Arena arena = Arena.ofShared();
    boolean mapped = false;
    try {
      Region region = new SegmentRegion(arena, channel.map(mode, 0, lengthBytes, arena));
      mapped = true;
      return region;
    } finally {
      if (!mapped) {
        arena.close();
      }
    }
  }

  /**
   * Extends a file without occupying blocks. A mapping extends its file first, here one of no
   * bytes; the other way, writing a byte at the new end, occupies a block and may fail for want of
   * it.
   */
  static void extend(FileChannel channel, long lengthBytes) throws IOException {
    channel.map(MapMode.READ_WRITE, lengthBytes, 0);
    if (channel.size() < lengthBytes) {
      throw new IOException("the file did not grow to " + lengthBytes + " bytes");
    }
  }

  static void requireWholeWords(long lengthBytes) {
    if (lengthBytes <= 0 || lengthBytes % Region.WORD_BYTES != 0) {
      throw new IllegalArgumentException(
          "a region holds whole words, at least one: " + lengthBytes + " bytes");
    }
  }

  private static Region eager(long lengthBytes) {
    Arena arena = Arena.ofShared();
    boolean allocated = false;
    try {
      Region region = new SegmentRegion(arena, arena.allocate(lengthBytes, ARENA_ALIGNMENT_BYTES));
      allocated = true;
      return region;
    } catch (OutOfMemoryError e) {
      // Direct memory is bounded apart from the heap: to run out of it is no emergency of the JVM.
      throw new StorageException(
          StorageException.Reason.NO_MEMORY, "allocate " + lengthBytes + " bytes", e);
    } finally {
      if (!allocated) {
        arena.close();
      }
    }
  }
}
