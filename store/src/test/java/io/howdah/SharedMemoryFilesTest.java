package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.core.Backing;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnavailablePageException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.RingDirectory;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
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
          TxOptions.sync(), // copies of the directory have no rings
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
    if (path != null && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> files = Files.walk(path)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
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

  private Path backup() throws Exception {
    Path backup = folder.resolve("backup");
    Path former = folder.resolve("former");
    Files.createDirectory(former);
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = former.resolve(directory.relativize(file));
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    try (Store store = Store.open(former, options().withBacking(Backing.MAPPED))) {
      store.admin().backup(backup);
    }
    return backup;
  }

  /** A directory with the same store, by its id, stands where the killed one was. */
  @Test
  void aBackupThatIsRestoredInThePlaceOfTheStoreDoesNotUseTheMemory() throws Exception {
    Path backup = backup();
    Path moved = Files.move(directory, folder.resolve("moved"));
    StoreBackups.restore(backup, directory, OptionalLong.empty());
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Loaded.class);
    // The other opening may have removed the memory, which no store was seen to need.
    assertThat(opened(moved)).isInstanceOf(MemoryOrigin.Loaded.class);
  }

  /** The superblock of the new directory may have the inode of the former one. */
  @Test
  void aBackupThatReplacesTheStoreDoesNotUseTheMemory() throws Exception {
    Path backup = backup();
    remove(directory);
    StoreBackups.restore(backup, directory, OptionalLong.empty());
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Loaded.class);
  }

  @Test
  void aReaderBesideItKeepsWritersOutAndLeavesTheMemory() {
    try (Store reader = Store.open(directory, options().withReadOnly(true))) {
      assertThat((long) reader.read(tx -> tx.getLong(tx.root(0) + 8))).isEqualTo(1);
      assertThatThrownBy(() -> Store.open(directory, options()))
          .isInstanceOf(StoreLockedException.class);
      assertThat(place.resolve("region")).exists();
    }
    assertThat(opened(directory)).isInstanceOf(MemoryOrigin.Attached.class);
  }

  /** Writes until the store stops, once it is told to. */
  static final class Writing {

    private Writing() {}

    public static void main(String[] arguments) throws IOException {
      Store store = Store.open(Path.of(arguments[0]), options());
      store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0) + 8, 77));
      System.out.println(store.admin().recoveryReport().memory().getClass().getSimpleName());
      System.out.flush();
      System.in.read();
      String said = "goes on";
      for (int i = 0; i < 1000 && said.equals("goes on"); i++) {
        try {
          store.run(tx -> tx.putLong(tx.root(0), tx.getLong(tx.root(0))));
        } catch (UnavailablePageException e) {
          // Nothing has happened, and the next one may succeed.
        } catch (StoreFailedException e) {
          said = "stopped";
        }
      }
      System.out.print(said);
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }
  }

  @Test
  void aRegionThatIsTruncatedUnderAnOpenStoreIsNotUsedAgain() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Writing.class.getName(),
                directory.toString())
            .start();
    try (BufferedReader said = child.inputReader(StandardCharsets.UTF_8)) {
      assertThat(said.readLine()).isEqualTo("Attached");
      try (FileChannel region =
          FileChannel.open(place.resolve("region"), StandardOpenOption.WRITE)) {
        region.truncate(4096);
      }
      child.getOutputStream().write('\n');
      child.getOutputStream().flush();
      assertThat(said.readLine()).isEqualTo("stopped");
      assertThat(child.waitFor(100, TimeUnit.SECONDS)).isTrue();
    }
    try (Store store = Store.open(directory, options())) {
      assertThat(store.admin().recoveryReport().memory()).isInstanceOf(MemoryOrigin.Loaded.class);
      assertThat((long) store.read(tx -> tx.getLong(tx.root(0) + 8))).isEqualTo(77);
      assertThat((long) store.read(tx -> tx.getLong(tx.root(0) + 16))).isEqualTo(2);
    }
  }

  private static boolean runs(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor() == 0;
  }

  /** The tmpfs of a plain container: a store fills it, and each refusal is told by its type. */
  @Test
  void aTmpfsOf64MebibytesRefusesPagesAndKeepsWhatItHas() throws Exception {
    assumeTrue(Integer.valueOf(SUPERUSER).equals(Files.getAttribute(folder, "unix:uid")));
    Path memory = Files.createDirectory(folder.resolve("memory"));
    assumeTrue(
        runs("mount", "-t", "tmpfs", "-o", "size=64m,mode=1777", "howdah-test", memory.toString()),
        "this process may not mount a tmpfs");
    try {
      fill(memory);
    } finally {
      assertThat(runs("umount", memory.toString())).isTrue();
    }
  }

  private void fill(Path memory) {
    StoreOptions large = options().withMaxSize(1L << 28);
    Path small = folder.resolve("small");
    FileStorageOptions where = FileStorageOptions.DEFAULT.withVolatileDirectory(memory);
    List<Long> blocks = new ArrayList<>();
    Throwable refusal;
    try (FileStorage files = FileStorage.open(small, where)) {
      Store store = Store.open(large.withStorage(files).withWarmClose(true));
      assertThat(store.admin().recoveryReport().memory()).isInstanceOf(MemoryOrigin.Loaded.class);
      refusal = catchThrowable(() -> addBlocks(store, blocks));
      assertThat(blocks).hasSizeBetween(30, 64);
      if (refusal instanceof StoreFailedException) {
        // A page was missing where a commit stores its words, and the log decides.
        assertThat(refusal).hasCauseInstanceOf(UnavailablePageException.class);
        assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
      } else {
        assertThat(refusal).isInstanceOf(UnavailablePageException.class);
        requireBlocks(store, blocks);
        store.close();
      }
    }
    try (FileStorage files = FileStorage.open(small, where);
        Store store = Store.open(large.withStorage(files))) {
      assertThat(store.admin().recoveryReport().memory() instanceof MemoryOrigin.Attached)
          .isEqualTo(refusal instanceof UnavailablePageException);
      requireBlocks(store, blocks);
    }
  }

  private static void addBlocks(Store store, List<Long> blocks) {
    for (int i = 0; i < 128; i++) {
      blocks.add(
          store.call(
              tx -> {
                long block = tx.allocate(1 << 20);
                for (long at = 0; at < 1 << 20; at += 4096) {
                  tx.putLong(block + at, block);
                }
                return block;
              }));
    }
  }

  private static void requireBlocks(Store store, List<Long> blocks) {
    for (long block : blocks) {
      assertThat((long) store.read(tx -> tx.getLong(block + (1 << 20) - 4096))).isEqualTo(block);
    }
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
