package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.core.Backing;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.RingDirectory;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory of a process that has ended, in a real tmpfs, and what somebody may have made of it. */
final class SharedMemoryFilesTest {

  private static final Path TMPFS = Path.of("/dev/shm");
  private static final int WORDS = 2000;
  private static final int SUPERUSER = 0;

  @TempDir Path folder;

  private Path directory;
  private Path place;

  private static StoreOptions options() {
    return StoreOptions.defaults()
        .withBacking(Backing.SHARED)
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withDefaultDurability(Durability.ASYNC);
  }

  /** Fills a store, and ends as by a kill. */
  static final class Child {

    private Child() {}

    public static void main(String[] arguments) {
      Store store = Store.open(Path.of(arguments[0]), options());
      store.run(
          tx -> {
            long array = tx.allocate(WORDS * 8L);
            tx.root(0, array);
            for (int i = 0; i < WORDS; i++) {
              tx.putLong(array + i * 8L, i);
            }
          });
      System.out.print("done");
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }
  }

  @BeforeEach
  void killAStore() throws Exception {
    assumeTrue(Files.isWritable(TMPFS) && Files.getFileStore(TMPFS).type().equals("tmpfs"));
    directory = folder.resolve("store");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                directory.toString())
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(said).isEqualTo("done");
    place = TMPFS.resolve(memoryName());
    assertThat(place.resolve("region")).hasSize(1 << 20);
  }

  private String memoryName() {
    try (Storage storage = FileStorage.open(directory);
        SuperblockFile superblock = SuperblockFile.open(storage)) {
      return RingDirectory.memoryName(storage, superblock.current());
    }
  }

  @AfterEach
  void removeMemory() throws IOException {
    remove(place);
  }

  private static void remove(Path path) throws IOException {
    if (path != null && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> files = Files.list(path)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
    }
    if (path != null) {
      Files.deleteIfExists(path);
    }
  }

  private static MemoryOrigin opened(Path directory) {
    try (Store store = Store.open(directory, options())) {
      List<Long> ends =
          store.read(
              tx -> List.of(tx.getLong(tx.root(0)), tx.getLong(tx.root(0) + (WORDS - 1) * 8L)));
      assertThat(ends).containsExactly(0L, WORDS - 1L);
      return store.admin().recoveryReport().memory();
    }
  }

  @Test
  void theMemoryIsUsedAndDeletedByTheClose() {
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Attached.class);
    assertThat(place).doesNotExist();
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Loaded.class);
  }

  @Test
  void aCopyOfTheStoreLeavesTheMemoryToItsStore() throws Exception {
    Path copy = folder.resolve("copy");
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(directory.relativize(file)));
      }
    }
    assertThat(opened(copy))
        .isInstanceOfSatisfying(
            MemoryOrigin.Loaded.class,
            loaded -> assertThat(loaded.reason()).contains("no rings in memory of this store"));
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Attached.class);
  }

  @Test
  void symbolicLinksAreNotFollowed() throws Exception {
    Path elsewhere = folder.resolve("region");
    Files.copy(place.resolve("region"), elsewhere);
    Files.delete(place.resolve("region"));
    Files.createSymbolicLink(place.resolve("region"), elsewhere);
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Loaded.class);
    assertThat(elsewhere).as("what the link leads to").hasSize(1 << 20);
  }

  @Test
  void aPlaceThatIsASymbolicLinkIsLeftAlone() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("memory"));
    for (String name : List.of("region", "warm")) {
      Files.copy(place.resolve(name), elsewhere.resolve(name));
    }
    remove(place);
    Files.createSymbolicLink(place, elsewhere);
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Unshared.class);
    assertThat(elsewhere.resolve("region")).exists();
  }

  @Test
  void aPlaceThatOthersMayEnterIsLeftAlone() throws Exception {
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Unshared.class);
    assertThat(place.resolve("region")).exists();
  }

  @Test
  void aPlaceOfAnotherUserIsLeftAlone() throws Exception {
    assumeTrue(Integer.valueOf(SUPERUSER).equals(Files.getAttribute(folder, "unix:uid")));
    Files.setAttribute(place, "unix:uid", 12_345);
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Unshared.class);
    assertThat(place.resolve("region")).exists();
  }

  @Test
  void aTruncatedRegionIsNotUsed() throws Exception {
    try (FileChannel region = FileChannel.open(place.resolve("region"), StandardOpenOption.WRITE)) {
      region.truncate(1 << 16);
    }
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Loaded.class);
  }

  /** Ends by a signal that the JVM takes for damage to its memory, and so reports. */
  static final class Crashing {

    private Crashing() {}

    public static void main(String[] arguments) throws Exception {
      try (Store store = Store.open(Path.of(arguments[0]), options())) {
        store.run(tx -> tx.putLong(tx.root(0), 0));
        new ProcessBuilder("kill", "-SEGV", Long.toString(ProcessHandle.current().pid())).start();
        Thread.sleep(Long.MAX_VALUE);
      }
    }
  }

  private void crash(Path working, String... flags) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash"));
    command.addAll(List.of(flags));
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            Crashing.class.getName(),
            directory.toString()));
    Process child =
        new ProcessBuilder(command).directory(working.toFile()).redirectErrorStream(true).start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(said).contains("A fatal error has been detected");
  }

  @Test
  void theMemoryOfAProcessThatReportedAFatalErrorIsNotUsed() throws Exception {
    Path working = Files.createDirectory(folder.resolve("working"));
    crash(working);
    assertThat(opened(directory))
        .isInstanceOfSatisfying(
            MemoryOrigin.Loaded.class,
            loaded ->
                assertThat(loaded.reason())
                    .contains("fatal error")
                    .contains(working.resolve("hs_err_pid").toString()));
  }

  @Test
  void aReportIsFoundWhereAnOptionPutsIt() throws Exception {
    Path working = Files.createDirectory(folder.resolve("working"));
    crash(working, "-XX:ErrorFile=" + folder.resolve("error-%p.txt"));
    assertThat(opened(directory))
        .isInstanceOfSatisfying(
            MemoryOrigin.Loaded.class,
            loaded -> assertThat(loaded.reason()).contains(folder.resolve("error-").toString()));
  }

  /** Opens a store of the default size, and tells where its memory came from. */
  static final class Telling {

    private Telling() {}

    public static void main(String[] arguments) {
      StoreOptions options =
          StoreOptions.defaults()
              .withBacking(Backing.SHARED)
              .withMaxSize(1L << 33)
              .withPartitions(2)
              .withRingBytes(1 << 16)
              .withOrecs(1 << 10);
      try (Store store = Store.open(Path.of(arguments[0]), options)) {
        System.out.println(store.admin().recoveryReport().memory().getClass().getSimpleName());
        if (arguments.length > 1) {
          Runtime.getRuntime().halt(0);
        }
      }
    }
  }

  private static String told(String limit, String... arguments) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process child =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -v "
                    + limit
                    + "; exec "
                    + java
                    + " -Xmx32m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
                    + " -XX:CompressedClassSpaceSize=16m -XX:ReservedCodeCacheSize=16m -cp \"$0\" "
                    + Telling.class.getName().replace("$", "\\$")
                    + " "
                    + String.join(" ", arguments),
                System.getProperty("java.class.path"))
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(100, TimeUnit.SECONDS)).isTrue();
    return said.strip();
  }

  @Test
  void aSmallAddressSpaceOpensWithoutTheMemory() throws Exception {
    String large = folder.resolve("large").toString();
    assertThat(told("unlimited", large, "halt")).isEqualTo("Loaded");
    assertThat(told("4000000", large, "halt")).isEqualTo("Unshared"); // there is memory to use
    assertThat(told("4000000", large)).isEqualTo("Unshared");
    assertThat(told("unlimited", large)).isEqualTo("Loaded");
  }
}
