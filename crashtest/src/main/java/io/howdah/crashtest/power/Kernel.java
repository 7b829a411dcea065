package io.howdah.crashtest.power;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The system calls of Linux that the class library has no method for. Stateless. */
final class Kernel {

  /** Of ext4 and XFS alike: {@code _IOR('X', 125, __u32)}. */
  private static final long GOING_DOWN = 0x8004_587DL;

  /** Neither data nor the journal is written before the file system stops. */
  private static final int WITHOUT_LOG_FLUSH = 2;

  /** Starts to write the dirty pages of a range, and waits for none. */
  private static final int SYNC_FILE_RANGE_WRITE = 2;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle OPEN =
      handle(
          "open",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          2);
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT), -1);
  private static final MethodHandle IOCTL =
      handle(
          "ioctl",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS),
          2);
  private static final MethodHandle SYNC_FILE_RANGE =
      handle(
          "sync_file_range",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT),
          -1);

  private Kernel() {}

  /** Returns a handle; {@code firstVariadic} below 0 is for a function of fixed arguments. */
  @SuppressWarnings("restricted") // the four signatures are those of the C library
  private static MethodHandle handle(String name, FunctionDescriptor type, int firstVariadic) {
    MemorySegment function = LINKER.defaultLookup().findOrThrow(name);
    return firstVariadic < 0
        ? LINKER.downcallHandle(function, type)
        : LINKER.downcallHandle(function, type, Linker.Option.firstVariadicArg(firstVariadic));
  }

  /**
   * Stops a file system at once, and then one in a file of it, as a power cut does: what they have
   * not written is lost, mapped pages and the journals' unwritten parts too. Every later call of
   * them fails until they are mounted again. The inner one is opened before the outer one stops: it
   * may notice that its disk is gone and stop by itself, and cannot be opened any more then.
   *
   * @param outer directory in the file system that stops first
   * @param inner directory in the other one
   */
  static void stopFileSystems(Path outer, Path inner) throws IOException {
    withFile(
        inner,
        (file, arena) -> {
          withFile(outer, Kernel::stop);
          return stop(file, arena);
        });
  }

  private static int stop(int file, Arena arena) throws Throwable {
    MemorySegment how = arena.allocateFrom(ValueLayout.JAVA_INT, WITHOUT_LOG_FLUSH);
    return (int) IOCTL.invokeExact(file, GOING_DOWN, how);
  }

  /** Starts to write the dirty pages of a range of a file, without any promise. */
  static void startWriting(Path file, long offset, long lengthBytes) throws IOException {
    withFile(
        file,
        (number, _) ->
            (int) SYNC_FILE_RANGE.invokeExact(number, offset, lengthBytes, SYNC_FILE_RANGE_WRITE));
  }

  private interface Call {
    int on(int file, Arena arena) throws Throwable;
  }

  private static void withFile(Path path, Call call) throws IOException {
    int result;
    try (Arena arena = Arena.ofConfined()) {
      int file = (int) OPEN.invokeExact(arena.allocateFrom(path.toString()), 0);
      if (file < 0) {
        throw new IOException("cannot open " + path);
      }
      try {
        result = call.on(file, arena);
      } finally {
        int _ = (int) CLOSE.invokeExact(file);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
    if (result != 0) {
      throw new IOException("the kernel refuses the call for " + path);
    }
  }
}
