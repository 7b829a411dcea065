package io.howdah.core.storage.file;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Anonymous memory from the kernel itself, in pages of 2 MiB where it has them: random access to a
 * gigabyte misses the translation buffers nearly always with pages of 4 KiB. The JDK has no call
 * for it, so it is there only where the user has enabled native access, and on Linux; nothing
 * depends on it but speed.
 */
final class KernelMemory {

  private static final long HUGE_PAGE_BYTES = 2L << 20;

  // From the kernel's headers; the same on x86-64 and AArch64.
  private static final int PROT_READ_WRITE = 0x1 | 0x2;
  private static final int MAP_PRIVATE = 0x02;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int MAP_NORESERVE = 0x4000;
  private static final int MADV_HUGEPAGE = 14;
  private static final long MAP_FAILED = -1;

  /** Calls into the C library; null where they are not allowed or not there. */
  private static final @Nullable KernelMemory CALLS = link();

  private final MethodHandle mmap;
  private final MethodHandle munmap;
  private final MethodHandle madvise;

  @SuppressWarnings("restricted") // asked for by link()
  private KernelMemory(Linker linker) {
    this.mmap =
        call(
            linker,
            "mmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG));
    this.munmap =
        call(
            linker,
            "munmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    this.madvise =
        call(
            linker,
            "madvise",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT));
  }

  @SuppressWarnings("restricted") // asked for by link()
  private static MethodHandle call(Linker linker, String name, FunctionDescriptor descriptor) {
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
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

  /**
   * Maps zeroed memory, occupied as it is touched, 2 MiB at a time where the kernel has such pages.
   *
   * @param arena unmaps it; a shared one
   * @param lengthBytes positive
   * @return the memory; empty if native access is not enabled or the kernel refused
   */
  static Optional<MemorySegment> map(Arena arena, long lengthBytes) {
    KernelMemory calls = CALLS;
    return calls == null || lengthBytes > Long.MAX_VALUE - 2 * HUGE_PAGE_BYTES
        ? Optional.empty()
        : calls.mapAligned(arena, lengthBytes);
  }

  @SuppressWarnings("restricted") // asked for by link()
  private Optional<MemorySegment> mapAligned(Arena arena, long lengthBytes) {
    // A huge page fits only at a multiple of its length, and mmap aligns to small ones.
    long mappedBytes = (lengthBytes + 2 * HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
    long base =
        invoke(
            () ->
                (long)
                    mmap.invokeExact(
                        0L,
                        mappedBytes,
                        PROT_READ_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                        -1,
                        0L));
    if (base == MAP_FAILED) {
      return Optional.empty();
    }
    long start = (base + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
    // A kernel without huge pages refuses; then small ones do.
    invoke(() -> (int) madvise.invokeExact(start, lengthBytes & -HUGE_PAGE_BYTES, MADV_HUGEPAGE));
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

  private void unmap(long base, long mappedBytes) {
    invoke(() -> (int) munmap.invokeExact(base, mappedBytes));
  }

  @FunctionalInterface
  private interface Call<T> {
    @SuppressWarnings("checkstyle:IllegalThrows")
    T run() throws Throwable;
  }

  /** The calls themselves throw nothing; a wrong type would be our mistake. */
  private static <T> T invoke(Call<T> call) {
    try {
      return call.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}
