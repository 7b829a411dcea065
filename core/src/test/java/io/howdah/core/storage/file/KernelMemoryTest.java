package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class KernelMemoryTest {

  private static final Logger LOGGER = Logger.getLogger(FileSystemCheck.LOGGER);

  private static final int ENOMEM = 12;
  private static final int EINVAL = 22;
  private static final long LENGTH = 8L << 20;
  private static final List<Class<?>> SIX_WORDS = Collections.nCopies(6, long.class);

  @TempDir Path directory;

  @Test
  void withoutNativeAccessThereIsNone() {
    assertThat(KernelMemory.class.getModule().isNativeAccessEnabled()).isFalse();
    assertThat(KernelMemory.calls()).isNull();
    try (Arena arena = Arena.ofShared()) {
      assertThat(KernelMemory.map(arena, 4L << 20)).isEmpty();
    }
  }

  private static String withNativeAccess(Class<?> main, String... arguments) throws IOException {
    assumeTrue(
        Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage")), "the kernel has large pages");
    try (ChildJvm child =
        ChildJvm.start(
            List.of("env", "JDK_JAVA_OPTIONS=--enable-native-access=ALL-UNNAMED"),
            main,
            arguments)) {
      return child.readLine();
    }
  }

  @Test
  void withNativeAccessPagesAreLargeAndNothingElseDiffers() throws Exception {
    assertThat(withNativeAccess(KernelMemoryScenario.class)).isEqualTo("ok");
  }

  @Test
  void theUnusedPartOfAnImageIsMemoryOfLargePages() throws Exception {
    assertThat(withNativeAccess(UnusedPartScenario.class, directory.toString(), "large"))
        .isEqualTo("ok");
  }

  /** As where {@code transparent_hugepage/enabled} is {@code never}. */
  @Test
  void theUnusedPartOfAnImageIsMemoryOfSmallPagesWhereTheKernelGivesNoOthers() throws Exception {
    assertThat(withNativeAccess(UnusedPartScenario.class, directory.toString(), "small"))
        .isEqualTo("ok");
  }

  /** There a touch of a mapped page reserves space, and is refused where there is none. */
  @Test
  void inATmpfsTheUnusedPartStaysMapped() throws Exception {
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(memory) && VolatilePlaces.isVolatile(memory), "there is a tmpfs");
    Path folder = Files.createTempDirectory(memory, "howdah-test");
    try {
      assertThat(withNativeAccess(UnusedPartScenario.class, folder.toString(), "tmpfs"))
          .isEqualTo("ok");
    } finally {
      Files.deleteIfExists(folder.resolve("image"));
      Files.delete(folder);
    }
  }

  // ---- A kernel that refuses, or that answers what it may not.

  /** Answers {@code result} and says why. */
  private static MethodHandle answer(long result, int errno) throws ReflectiveOperationException {
    MethodHandle set =
        MethodHandles.lookup()
            .findStatic(
                KernelMemoryTest.class,
                "errno",
                MethodType.methodType(void.class, int.class, MemorySegment.class));
    MethodHandle constant = MethodHandles.constant(long.class, result);
    return MethodHandles.dropArguments(
        MethodHandles.foldArguments(
            MethodHandles.dropArguments(constant, 0, MemorySegment.class),
            MethodHandles.insertArguments(set, 0, errno)),
        1,
        SIX_WORDS);
  }

  @SuppressWarnings("UnusedMethod") // found by its name
  private static void errno(int number, MemorySegment state) {
    state.set(ValueLayout.JAVA_INT, 0, number);
  }

  /** Must not be called: nothing was mapped. */
  private static MethodHandle noMunmap() {
    MethodHandle fails =
        MethodHandles.throwException(long.class, AssertionError.class)
            .bindTo(new AssertionError("munmap"));
    return MethodHandles.dropArguments(
        MethodHandles.dropArguments(fails, 0, SIX_WORDS), 0, MemorySegment.class);
  }

  private static List<String> said(Runnable body) {
    List<String> messages = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            messages.add(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Level level = LOGGER.getLevel();
    LOGGER.setLevel(Level.FINE);
    LOGGER.addHandler(handler);
    try {
      body.run();
    } finally {
      LOGGER.removeHandler(handler);
      LOGGER.setLevel(level);
    }
    return messages;
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, -4096, 4097, 1L << 62 | 8, Long.MAX_VALUE - 4095})
  void anAddressThatCannotBeIsNoMemory(long address) throws Exception {
    KernelMemory calls = new KernelMemory(answer(address, ENOMEM), noMunmap(), answer(0, 0));
    try (Arena arena = Arena.ofShared()) {
      assertThat(said(() -> assertThat(calls.mapAligned(arena, LENGTH)).isEmpty()))
          .singleElement()
          .asString()
          .contains("mmap of ", " returned " + address + ", errno 12");
    }
  }

  private Path image() throws IOException {
    byte[] ones = new byte[(int) LENGTH];
    Arrays.fill(ones, 0, 1 << 20, (byte) 1);
    return Files.write(directory.resolve("image"), ones);
  }

  /** Whatever the answer, the image is mapped as it is without such calls. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 4096, 1L << 40})
  void aRefusedReplacementLeavesAMappingOfTheFile(long address) throws Exception {
    Path path = image();
    KernelMemory calls = new KernelMemory(answer(address, ENOMEM), noMunmap(), answer(0, 0));
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long before = mappings(path);
      List<String> said =
          said(
              () -> {
                try (Region region = Regions.mapPrivate(path, channel, LENGTH, 1 << 20, calls)) {
                  assertThat(region.getLong((1 << 20) - 8)).isEqualTo(0x0101010101010101L);
                  region.setLong(LENGTH - 8, 5);
                  assertThat(region.getLong(LENGTH - 8)).isEqualTo(5);
                  assertThat(mappings(path)).as("the refused one stays").isEqualTo(before + 2);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      assertThat(said)
          .singleElement()
          .asString()
          .contains("over an image", " returned " + address + ", errno 12");
      // It may have a hole, where another thread may have mapped something since.
      assertThat(mappings(path)).isEqualTo(before + 1);
      try (Arena arena = Arena.ofShared()) {
        MemorySegment mapping = channel.map(MapMode.PRIVATE, 0, LENGTH, arena);
        // There may be a hole in it now.
        assertThat(calls.replaceUnused(mapping, 1 << 20)).isFalse();
      }
    }
  }

  /** A kernel that was built without large pages. */
  @Test
  void refusedAdviceIsTold() throws Exception {
    Path path = image();
    try (FileChannel channel =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment mapping = channel.map(MapMode.PRIVATE, 0, LENGTH, arena);
      long start = Alignment.up(mapping.address() + (1 << 20), 2 << 20);
      KernelMemory calls = new KernelMemory(answer(start, 0), noMunmap(), answer(-1, EINVAL));
      assertThat(said(() -> assertThat(calls.replaceUnused(mapping, 1 << 20)).isTrue()))
          .singleElement()
          .asString()
          .contains("madvise(MADV_HUGEPAGE)", " returned -1, errno 22");
    }
  }

  /** The upper half of a register that holds an {@code int} is undefined. */
  @Test
  void upperHalfOfAnIntIsIgnored() throws Exception {
    Path path = image();
    try (FileChannel channel =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment mapping = channel.map(MapMode.PRIVATE, 0, LENGTH, arena);
      long start = Alignment.up(mapping.address() + (1 << 20), 2 << 20);
      KernelMemory calls = new KernelMemory(answer(start, 0), noMunmap(), answer(7L << 32, EINVAL));
      assertThat(said(() -> assertThat(calls.replaceUnused(mapping, 1 << 20)).isTrue())).isEmpty();
    }
  }

  private static long mappings(Path path) {
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.endsWith(path.toString())).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
