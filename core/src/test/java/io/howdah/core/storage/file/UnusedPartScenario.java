package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

/** Run with native access: a private mapping whose end is memory behaves like any other. */
final class UnusedPartScenario {

  private static final int PAGE = 4096;
  private static final long LARGE_PAGE = 2L << 20;
  private static final long ONES = 0x0101010101010101L;

  private final Path directory;
  private final boolean hasLargePages;

  private UnusedPartScenario(Path directory, boolean hasLargePages) {
    this.directory = directory;
    this.hasLargePages = hasLargePages;
  }

  public static void main(String[] arguments) throws Throwable {
    boolean hasLargePages = arguments[1].equals("large");
    if (arguments[1].equals("tmpfs")) {
      new UnusedPartScenario(Path.of(arguments[0]), false).staysMapped();
      System.out.println("ok");
      return;
    }
    if (!hasLargePages) {
      disableLargePages();
    }
    UnusedPartScenario scenario = new UnusedPartScenario(Path.of(arguments[0]), hasLargePages);
    List<Long> lengths =
        List.of(8L, 4096L, LARGE_PAGE, 2 * LARGE_PAGE, 3 * LARGE_PAGE, 4 * LARGE_PAGE + PAGE + 8);
    for (long length : lengths) {
      Path path = scenario.file("image", length);
      for (long used : List.of(0L, 8L, 4096L, LARGE_PAGE - 8, LARGE_PAGE, LARGE_PAGE + 5000L)) {
        scenario.hasTheFileAndThenMemory(length, Math.min(used, length));
      }
      scenario.hasTheFileAndThenMemory(length, length);
      byte[] ones = new byte[(int) length];
      Arrays.fill(ones, (byte) 1);
      assertThat(path).hasBinaryContent(ones);
      Files.delete(path);
    }
    scenario.endsWithoutAMapping();
    scenario.survivesATruncatedFile();
    System.out.println("ok");
  }

  /** For this process, as {@code never} does it for all. */
  @SuppressWarnings("restricted")
  private static void disableLargePages() throws Throwable {
    Linker linker = Linker.nativeLinker();
    int result =
        (int)
            linker
                .downcallHandle(
                    linker.defaultLookup().findOrThrow("prctl"),
                    FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                    Linker.Option.firstVariadicArg(1))
                .invokeExact(41, 1L, 0L, 0L, 0L); // PR_SET_THP_DISABLE
    assertThat(result).isZero();
  }

  /** Makes a file of ones, also where it is said to be unused, to see which part is mapped. */
  private Path file(String name, long lengthBytes) throws IOException {
    Path path = directory.resolve(name);
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer ones = ByteBuffer.allocate((int) lengthBytes);
      while (ones.hasRemaining()) {
        ones.put((byte) 1);
      }
      channel.write(ones.flip());
    }
    return path;
  }

  private static void require(boolean isTrue, long address) {
    if (!isTrue) { // an assertion for each word takes a minute
      assertThat(isTrue).as("%d", address).isTrue();
    }
  }

  private void hasTheFileAndThenMemory(long length, long used) throws IOException {
    try (FileStorage storage = FileStorage.open(directory);
        Region region = storage.mapPrivate("image", length, used)) {
      long memory = 0;
      for (long address = 0; address < length; address += 8) {
        long word = region.getLong(address);
        require(word == ONES || (word == 0 && address >= used), address);
        memory += word == 0 ? 8 : 0;
      }
      boolean isWhole = used + 3 * LARGE_PAGE <= length;
      require(region.getLong(length - 8) == ONES, length - 8);
      assertThat(memory % LARGE_PAGE).isZero();
      assertThat(memory).isBetween(isWhole ? LARGE_PAGE : 0, length - used);
      for (long address = 0; address < length; address += 8) {
        region.setLong(address, address + 1);
      }
      for (long address = 0; address < length; address += 8) {
        require(region.getLong(address) == address + 1, address);
      }
      assertThat(region.capacityBytes()).isEqualTo(length);
      assertThatThrownBy(() -> region.getLong(length)).isInstanceOf(RuntimeException.class);
      assertThat(region.compareAndSetLong(length - 8, length - 7, 3)).isTrue();
      // Memory may be short of large pages, so there may be fewer.
      assertThat(region.largePageBytes().orElseThrow() % LARGE_PAGE).isZero();
      assertThat(region.largePageBytes().orElseThrow()).isBetween(0L, hasLargePages ? memory : 0);
      assertThat(adviceCount()).isEqualTo(memory > 0 ? 1 : 0);
    }
  }

  private void staysMapped() throws IOException {
    long length = 4 * LARGE_PAGE;
    Path path = file("image", length);
    try (FileStorage storage = FileStorage.open(directory);
        Region region = storage.mapPrivate("image", length, PAGE)) {
      for (long address = 0; address < length; address += PAGE) {
        require(region.getLong(address) == ONES, address);
      }
      assertThat(mappings(path)).isEqualTo(1);
      assertThat(adviceCount()).isZero();
    }
  }

  /** Neither a mapping that was closed nor one that cannot be made leaves anything. */
  private void endsWithoutAMapping() throws IOException {
    long length = 4 * LARGE_PAGE;
    Path path = file("closed", length);
    try (FileStorage storage = FileStorage.open(directory)) {
      storage.mapPrivate("closed", length, PAGE).close();
      for (int i = 0; i < 10; i++) {
        Region region = storage.mapPrivate("closed", length, PAGE);
        assertThat(mappings(path)).isEqualTo(2);
        assertThat(adviceCount()).isEqualTo(1);
        region.close();
        region.close();
        assertThat(region.largePageBytes()).isEmpty();
        assertThatThrownBy(() -> region.getLong(0)).isInstanceOf(IllegalStateException.class);
        assertThat(mappings(path)).isZero();
        assertThat(adviceCount()).isZero();
        assertThatThrownBy(() -> storage.mapPrivate("closed", 1L << 56, PAGE))
            .isInstanceOf(RuntimeException.class);
        assertThat(mappings(path)).isZero();
        assertThat(adviceCount()).isZero();
      }
    }
  }

  private void survivesATruncatedFile() throws IOException {
    long length = 4 * LARGE_PAGE;
    file("truncated", length);
    try (FileStorage storage = FileStorage.open(directory);
        Region region = storage.mapPrivate("truncated", length, LARGE_PAGE / 2)) {
      long inMemory = 3 * LARGE_PAGE - 8;
      region.setLong(inMemory, 7);
      try (FileChannel channel =
          FileChannel.open(directory.resolve("truncated"), StandardOpenOption.WRITE)) {
        channel.truncate(PAGE);
      }
      assertThat(region.getLong(0)).isEqualTo(ONES);
      for (long lost : List.of((long) PAGE, LARGE_PAGE / 2 - 8, length - 8)) {
        assertLost(region, lost, () -> region.getLong(lost));
        assertLost(region, lost, () -> region.setLong(lost, 1));
        assertLost(region, lost, () -> region.compareAndSetLong(lost, 0, 1));
        assertLost(region, lost, () -> region.getAndAddLong(lost, 1));
        assertLost(region, lost, () -> region.copyTo(lost, ByteBuffer.allocateDirect(8)));
      }
      assertThat(region.getLong(inMemory)).isEqualTo(7);
      assertThat(region.compareAndSetLong(inMemory, 7, 8)).isTrue();
    }
  }

  private static void assertLost(Region region, long address, Runnable access) {
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100_000; i++) { // the error may come later than its access
                access.run();
              }
            })
        .isInstanceOfSatisfying(
            InternalError.class,
            e ->
                assertThat(region.explained(e, address))
                    .isInstanceOf(CorruptStoreException.class)
                    .hasMessageContaining("truncated"));
  }

  private static long adviceCount() throws IOException {
    return count("/proc/self/smaps", "VmFlags:", " hg");
  }

  private static long mappings(Path path) throws IOException {
    return count("/proc/self/maps", "", path.toString());
  }

  private static long count(String file, String start, String part) throws IOException {
    try (var lines = Files.lines(Path.of(file))) {
      return lines.filter(line -> line.startsWith(start) && line.contains(part)).count();
    }
  }
}
