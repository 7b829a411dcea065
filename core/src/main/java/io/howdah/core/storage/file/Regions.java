package io.howdah.core.storage.file;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.core.storage.StorageException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

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

  /**
   * Memory of a store that is no longer than this is occupied at once. It has no pages that cannot
   * be had later, so a compare-and-set there need not look for the fault of one.
   */
  private static final long SMALL_BYTES = 1 << 16;

  private static final int ARENA_ALIGNMENT_BYTES = Alignment.PAGE_BYTES;

  private Regions() {}

  /**
   * Returns zeroed memory that belongs to no store. Up to 1 MiB it is occupied at once. Larger
   * regions are occupied as they are touched: in pages of 2 MiB where native access is enabled and
   * the kernel has such pages, else in small ones, of a nameless sparse file in the directory
   * {@code java.io.tmpdir} that is mapped privately and never written back.
   *
   * @param lengthBytes a positive multiple of 8
   * @throws StorageException if memory or address space ran out
   */
  public static Region anonymous(long lengthBytes) {
    Arena arena = Arena.ofShared();
    try {
      return new SegmentRegion(arena, anonymous(arena, lengthBytes), null);
    } catch (Throwable t) {
      arena.close();
      throw t;
    }
  }

  /**
   * Returns memory as {@link #anonymous(long)} does, for measuring it without a region around it.
   *
   * @param arena frees it; a shared one
   */
  public static MemorySegment anonymous(Arena arena, long lengthBytes) {
    requireWholeWords(lengthBytes);
    if (lengthBytes > EAGER_LIMIT_BYTES) {
      Optional<MemorySegment> large = KernelMemory.map(arena, lengthBytes);
      if (large.isPresent()) {
        return large.get();
      }
      try {
        return scratch(arena, temporaryDirectory(), lengthBytes);
      } catch (IOException e) {
        if (FailureReasons.of(e) == StorageException.Reason.NO_MEMORY) {
          throw new StorageException(
              StorageException.Reason.NO_MEMORY, "map " + lengthBytes + " bytes", e);
        }
        // No directory to write to: memory that is occupied at once does the same work.
      }
    }
    return eager(arena, lengthBytes);
  }

  /**
   * Returns memory that is occupied at once if it is short; else memory of large pages, if there
   * are any, else of {@link #scratch(Path, long)}.
   */
  static Region anonymous(Path directory, long lengthBytes) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new SegmentRegion(arena, anonymous(arena, directory, lengthBytes), null);
    } catch (Throwable t) {
      arena.close();
      throw t;
    }
  }

  private static MemorySegment anonymous(Arena arena, Path directory, long lengthBytes)
      throws IOException {
    if (lengthBytes <= SMALL_BYTES) {
      return eager(arena, lengthBytes);
    }
    if (lengthBytes > EAGER_LIMIT_BYTES) {
      Optional<MemorySegment> large = KernelMemory.map(arena, lengthBytes);
      if (large.isPresent()) {
        return large.get();
      }
    }
    return scratch(arena, scratchDirectory(directory), lengthBytes);
  }

  /**
   * Returns the directory itself, or if that is in a tmpfs {@code java.io.tmpdir}, unless it is in
   * one, too. A tmpfs takes space for each page of the file that is touched; once it is full,
   * memory that was allocated long before would have pages that cannot be had.
   */
  private static Path scratchDirectory(Path directory) throws IOException {
    if (!VolatilePlaces.isVolatile(directory)) {
      return directory;
    }
    Path other = temporaryDirectory();
    return Files.isWritable(other) && !VolatilePlaces.isVolatile(other) ? other : directory;
  }

  private static Path temporaryDirectory() {
    return Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
  }

  /** Maps a nameless sparse file in {@code directory} privately: zeroed, occupied when touched. */
  static Region scratch(Path directory, long lengthBytes) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new SegmentRegion(arena, scratch(arena, directory, lengthBytes), null);
    } catch (Throwable t) {
      arena.close();
      throw t;
    }
  }

  private static MemorySegment scratch(Arena arena, Path directory, long lengthBytes)
      throws IOException {
    // Whoever else knows the name cannot use it: the file is created new, for this user alone. So
    // it need not be random, and no store waits for a random generator to start.
    Path file =
        directory.resolve(
            SCRATCH_PREFIX
                + ProcessIdentity.ownPid()
                + "-"
                + Long.toHexString(System.nanoTime())
                + "-"
                + SCRATCH_COUNT.incrementAndGet()
                + SCRATCH_SUFFIX);
    try (FileChannel channel = PrivateFiles.create(file)) {
      Files.delete(file);
      extend(channel, lengthBytes);
      return channel.map(MapMode.PRIVATE, 0, lengthBytes, arena);
    }
  }

  /** Maps the first bytes of a file that is at least that long. */
  static Region map(Path path, FileChannel channel, MapMode mode, long lengthBytes)
      throws IOException {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment segment = channel.map(mode, 0, lengthBytes, arena);
      return new SegmentRegion(arena, segment, new MappedFile(path, lengthBytes));
    } catch (Throwable t) {
      arena.close();
      throw t;
    }
  }

  /**
   * Maps the first bytes of a file that is at least that long privately. Where native access is
   * enabled, what lies behind the part in use is memory of large pages, which the file does not
   * back.
   *
   * @param usedBytes offset from which on the file holds zeros
   * @param calls {@link KernelMemory#calls}
   */
  static Region mapPrivate(
      Path path,
      FileChannel channel,
      long lengthBytes,
      long usedBytes,
      @Nullable KernelMemory calls)
      throws IOException {
    Arena arena = Arena.ofShared();
    boolean kept = false;
    try {
      MemorySegment segment = channel.map(MapMode.PRIVATE, 0, lengthBytes, arena);
      if (calls == null || calls.replaceUnused(segment, usedBytes)) {
        Region region = new SegmentRegion(arena, segment, new MappedFile(path, lengthBytes));
        kept = true;
        return region;
      }
      // Leaks addresses once; unmapping a range with a hole could unmap what another thread has
      // mapped there since.
      kept = true;
    } finally {
      if (!kept) {
        arena.close();
      }
    }
    return map(path, channel, MapMode.PRIVATE, lengthBytes);
  }

  /**
   * Extends a file without occupying blocks. A mapping extends its file first, here one of no
   * bytes; the other way, writing a byte at the new end, occupies a block and may fail for want of
   * it.
   */
  static void extend(FileChannel channel, long lengthBytes) throws IOException {
    // With an arena, because without one the JDK makes the buffer by reflection: 10 ms in a new
    // JVM.
    try (Arena arena = Arena.ofConfined()) {
      channel.map(MapMode.READ_WRITE, lengthBytes, 0, arena);
    }
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

  private static MemorySegment eager(Arena arena, long lengthBytes) {
    try {
      return arena.allocate(lengthBytes, ARENA_ALIGNMENT_BYTES);
    } catch (OutOfMemoryError e) {
      // Direct memory is bounded apart from the heap: to run out of it is no emergency of the JVM.
      throw new StorageException(
          StorageException.Reason.NO_MEMORY, "allocate " + lengthBytes + " bytes", e);
    }
  }
}
