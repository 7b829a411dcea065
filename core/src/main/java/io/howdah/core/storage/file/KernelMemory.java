package io.howdah.core.storage.file;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.howdah.core.layout.Alignment;
import io.howdah.core.report.LateLogger;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Anonymous memory from the kernel itself, in pages of 2 MiB where it has them: random access to a
 * gigabyte misses the translation buffers nearly always with pages of 4 KiB. The JDK has no call
 * for it, so it is there only where the user has enabled native access, and on Linux; nothing
 * depends on it but speed.
 *
 * <p>A refused call is logged at DEBUG by {@value FileSystemCheck#LOGGER} with errno; the caller
 * then uses memory from the JDK.
 */
final class KernelMemory {

  private static final LateLogger LOGGER = new LateLogger(FileSystemCheck.LOGGER);

  private static final long HUGE_PAGE_BYTES = 2L << 20;

  // From the kernel's headers; the same on x86-64 and AArch64.
  private static final int PROT_READ_WRITE = 0x1 | 0x2;
  private static final int MAP_PRIVATE = 0x02;
  private static final int MAP_FIXED = 0x10;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int MAP_NORESERVE = 0x4000;
  private static final int MADV_HUGEPAGE = 14;
  private static final long MAP_FAILED = -1;
  private static final long NO_FILE = -1;
  private static final long NO_OFFSET = 0;

  private static final String SMALL_PAGES = "memory has small pages";

  private static final @Nullable KernelMemory CALLS = link();

  // Not static: without native access no JVM should pay for them.
  private final StructLayout callState = Linker.Option.captureStateLayout();
  private final VarHandle errno =
      callState.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private final MethodHandle mmap;
  private final MethodHandle munmap;
  private final MethodHandle madvise;

  private KernelMemory(Linker linker) {
    this(call(linker, "mmap"), call(linker, "munmap"), call(linker, "madvise"));
  }

  /**
   * Creates one.
   *
   * @param mmap the C library's, or one that refuses; the first parameter of each function is the
   *     memory that receives {@code errno}, six words follow, and the result is a word
   */
  KernelMemory(MethodHandle mmap, MethodHandle munmap, MethodHandle madvise) {
    this.mmap = mmap;
    this.munmap = munmap;
    this.madvise = madvise;
  }

  /**
   * Links a function with six words as its parameters and a word as its result, whatever it has
   * itself: the JDK generates code for each signature at its first use, some 4 ms of an opening.
   * The calling conventions of x86-64 (System V) and AArch64 pass up to six whole numbers in
   * registers. A function reads the registers of its own parameters, of an {@code int} the lower
   * half, and the upper half of an {@code int} that it returns is undefined.
   */
  @SuppressWarnings("restricted") // asked for by link()
  private static MethodHandle call(Linker linker, String name) {
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        Linker.Option.captureCallState("errno"));
  }

  private static @Nullable KernelMemory link() {
    if (!KernelMemory.class.getModule().isNativeAccessEnabled()
        || !System.getProperty("os.name", "").equals("Linux")) {
      return null;
    }
    try {
      return new KernelMemory(Linker.nativeLinker());
    } catch (UnsupportedOperationException | IllegalArgumentException _) {
      return null; // no linker for this platform, or another C library
    }
  }

  /** Returns the calls; null where they are not allowed or not there. */
  static @Nullable KernelMemory calls() {
    return CALLS;
  }

  /**
   * Maps zeroed memory, occupied as it is touched, 2 MiB at a time where the kernel has such pages.
   *
   * @param arena unmaps it; a shared one
   * @param lengthBytes positive
   * @return the memory; empty if native access is not enabled or the kernel refused
   */
  static Optional<MemorySegment> map(Arena arena, long lengthBytes) {
    KernelMemory calls = CALLS;
    return calls == null ? Optional.empty() : calls.mapAligned(arena, lengthBytes);
  }

  /**
   * Replaces the unused end of a private mapping of a file by anonymous memory of large pages: what
   * lies in whole multiples of 2 MiB behind the part in use. Closing the arena unmaps the whole
   * range with one call, so it frees the anonymous memory, too.
   *
   * <p>At both ends a part of the file stays. So no neighbour of the mapping can merge with the
   * memory, and the kernel's figures of it are those of this mapping alone.
   *
   * @param mapping from {@code FileChannel.map}, of which nothing was used yet
   * @param usedBytes offset from which on the file holds zeros, or what the caller overwrites
   *     before it reads
   * @return whether the mapping can be used. If not, the kernel has refused, and there may be a
   *     hole: the caller has to drop the mapping
   */
  boolean replaceUnused(MemorySegment mapping, long usedBytes) {
    long used = Math.clamp(usedBytes, 1, mapping.byteSize());
    long from = Alignment.up(mapping.address() + used, HUGE_PAGE_BYTES);
    long to = Alignment.down(mapping.address() + mapping.byteSize() - 1, HUGE_PAGE_BYTES);
    return from >= to || replace(from, to - from);
  }

  private boolean replace(long start, long lengthBytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(callState);
      long mapped = mapAnonymous(state, start, lengthBytes, MAP_FIXED);
      if (mapped != start) {
        refused("mmap of " + lengthBytes + " bytes over an image", mapped, state, SMALL_PAGES);
        return false;
      }
      advise(state, start, lengthBytes);
      return true;
    }
  }

  @SuppressWarnings("restricted") // asked for by link()
  Optional<MemorySegment> mapAligned(Arena arena, long lengthBytes) {
    if (lengthBytes > Long.MAX_VALUE - 2 * HUGE_PAGE_BYTES) {
      return Optional.empty();
    }
    // A huge page fits only at a multiple of its length, and mmap aligns to small ones.
    long mappedBytes = (lengthBytes + 2 * HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
    long base = mapAnonymous(lengthBytes, mappedBytes);
    if (base == MAP_FAILED) {
      return Optional.empty();
    }
    long start = (base + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
    boolean owned = false;
    try {
      MemorySegment segment =
          MemorySegment.ofAddress(start)
              .reinterpret(lengthBytes, arena, _ -> unmap(base, mappedBytes));
      owned = true;
      return Optional.of(segment);
    } finally {
      if (!owned) {
        unmap(base, mappedBytes);
      }
    }
  }

  private long mapAnonymous(long lengthBytes, long mappedBytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(callState);
      long base = mapAnonymous(state, 0, mappedBytes, 0);
      // The kernel hands out whole pages of the lower half of the addresses.
      if (base <= 0 || base % Alignment.PAGE_BYTES != 0 || base > Long.MAX_VALUE - mappedBytes) {
        refused("mmap of " + mappedBytes + " bytes", base, state, SMALL_PAGES);
        return MAP_FAILED;
      }
      long start = (base + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
      advise(state, start, lengthBytes & -HUGE_PAGE_BYTES);
      return base;
    }
  }

  /** Asks for large pages. A kernel that was built without them refuses; then small ones do. */
  private void advise(MemorySegment state, long start, long lengthBytes) {
    int result = (int) invoke(madvise, state, start, lengthBytes, MADV_HUGEPAGE, 0);
    if (result != 0) {
      refused("madvise(MADV_HUGEPAGE) of " + lengthBytes + " bytes", result, state, SMALL_PAGES);
    }
  }

  private void unmap(long base, long mappedBytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(callState);
      int result = (int) invoke(munmap, state, base, mappedBytes, 0, 0);
      if (result != 0) {
        refused("munmap of " + mappedBytes + " bytes", result, state, "the addresses stay in use");
      }
    }
  }

  private void refused(String call, long result, MemorySegment state, String consequence) {
    int number = (int) errno.get(state, 0L);
    LOGGER
        .get()
        .log(
            System.Logger.Level.DEBUG,
            () -> call + " returned " + result + ", errno " + number + "; " + consequence);
  }

  private long mapAnonymous(MemorySegment state, long start, long lengthBytes, int flags) {
    int all = flags | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    return invoke(mmap, state, start, lengthBytes, PROT_READ_WRITE, all);
  }

  /** The calls themselves throw nothing; a wrong type would be our mistake. */
  private static long invoke(
      MethodHandle function,
      MemorySegment state,
      long start,
      long lengthBytes,
      long third,
      long flags) {
    try {
      return (long)
          function.invokeExact(state, start, lengthBytes, third, flags, NO_FILE, NO_OFFSET);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}
