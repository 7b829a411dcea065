package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StoreLockedException;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever becomes of the files of the lock, a second process does not get a store in use. */
final class OneWriterTest {

  private static final Path SHM = Path.of("/dev/shm");

  @TempDir Path temporary;

  private Path root;
  private FileStorage storage;
  private StorageLock lock;

  @BeforeEach
  void open() {
    assumeTrue(ProcessIdentity.self().isPresent(), "no /proc");
    root = temporary.resolve("store");
    storage = FileStorage.open(root);
    lock = storage.lock("the first");
  }

  @AfterEach
  void close() {
    storage.close();
  }

  private String tryInChild(String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(root.toString()));
    arguments.addAll(List.of(more));
    try (ChildJvm child =
        ChildJvm.start(List.of(), LockHolder.class, arguments.toArray(String[]::new))) {
      return child.readLine();
    }
  }

  private void drop(String name) throws IOException {
    Files.newInputStream(root.resolve(name)).close();
  }

  private void remove(String name) throws IOException {
    Files.delete(root.resolve(name));
  }

  @Test
  void copyOfTheDirectoryInThisProcessLetsNobodyIn() throws Exception {
    drop("store.lock");
    assertThat(tryInChild()).startsWith("refused").contains("the first");
    assertThat(tryInChild("read-only")).startsWith("refused").contains("the first");
    assertThat(lock.keep()).isNull();
    assertThat(tryInChild()).startsWith("refused");
  }

  @Test
  void theClaimAloneKeepsOthersOut() throws Exception {
    storage.close();
    FileStorageOptions options =
        FileStorageOptions.DEFAULT.withVolatileDirectory(temporary.resolve("absent"));
    storage = FileStorage.open(root, options); // no second lock
    lock = storage.lock("the first");
    drop("store.lock");
    assertThat(tryInChild()).startsWith("refused").contains("the first");
  }

  @Test
  void removalOfTheLockFileLetsNobodyIn() throws Exception {
    remove("store.lock");
    assertThat(tryInChild()).startsWith("refused").contains("the first");
    assertThat(lock.keep()).isNull();
    assertThat(lock.isHeld()).as("the file is there again").isTrue();
    assertThat(tryInChild()).startsWith("refused");
  }

  @Test
  void removalOfBothFilesLetsNobodyInAndStopsTheHolder() throws Exception {
    assumeTrue(
        Files.isDirectory(SHM)
            && Files.getFileStore(SHM).type().equals("tmpfs")
            && Files.isWritable(SHM),
        "no tmpfs at /dev/shm");
    remove("store.lock");
    remove("store.owner");
    assertThat(tryInChild()).startsWith("refused");
    assertThat(lock.keep()).contains("store.owner was removed or replaced");
  }

  @Test
  void holderStopsWhenAnotherHasMadeItsClaim() throws Exception {
    Path owner = root.resolve("store.owner");
    // As a process in another container does, which does not see this one.
    String others = Files.readString(owner).replaceAll("pid:\\[\\d+\\]", "pid:[1]");
    Files.writeString(owner, others);
    assertThat(lock.keep()).contains("another process may have opened the store");
    storage.close();
    assertThat(owner).as("not the holder's any more").hasContent(others.strip());
  }

  @Test
  void anotherClassLoaderOfThisJvmIsRefusedAndDropsNothing() throws Exception {
    Path owner = root.resolve("store.owner");
    String own = Files.readString(owner);
    assertThat(openInAnotherClassLoader()).contains("another class loader");
    Files.delete(owner);
    // Without a claim it gets as far as the lock, which it must not drop by closing the file.
    assertThat(openInAnotherClassLoader()).contains("another class loader");
    assertThat(openInAnotherClassLoader()).contains("another class loader");
    Path second = SHM.resolve(FileStorageLock.outsideName(LockFile.fileKey(root)));
    Files.deleteIfExists(second);
    assertThat(openInAnotherClassLoader()).contains("another class loader");
    Files.deleteIfExists(second);
    assertThat(tryInChild()).as("the lock still stands").startsWith("refused");
    Files.writeString(owner, own);
    assertThat(lock.keep()).isNull();
  }

  private String openInAnotherClassLoader() throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass(FileStorage.class.getName());
      Object other = type.getMethod("open", Path.class).invoke(null, root);
      try {
        type.getMethod("lock", String.class).invoke(other, "the second");
        return "locked";
      } catch (InvocationTargetException e) {
        return String.valueOf(Objects.requireNonNull(e.getCause()).getMessage());
      } finally {
        type.getMethod("close").invoke(other);
      }
    }
  }

  @Test
  void removedDirectoryIsNoticed() throws Exception {
    try (var entries = Files.walk(root)) {
      for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
    assertThat(lock.keep()).contains("directory was removed or replaced");
    Files.createDirectory(root);
    assertThat(lock.keep()).isNotNull();
  }

  @Test
  void replacedDirectoryIsNoticed() throws Exception {
    Files.move(root, temporary.resolve("moved"));
    Files.createDirectory(root);
    assertThat(lock.keep()).contains("directory was removed or replaced");
  }

  @Test
  void aDirectoryMovedAwayIsOpenedAgainOnceItsHolderHasClosed() throws Exception {
    Path moved = temporary.resolve("moved");
    Path other = Files.createDirectory(temporary.resolve("other"));
    // As a process leaves it that was killed, and then copied.
    Files.writeString(
        other.resolve("store.owner"),
        Files.readString(root.resolve("store.owner")).strip() + "-of-another\n");
    Files.move(root, moved);
    Files.move(other, root);
    storage.close();
    try (FileStorage again = FileStorage.open(moved)) {
      assertThat(again.lock("the second").isHeld()).isTrue();
    }
    assertThat(root.resolve("store.owner")).content().contains("-of-another");
  }

  @Test
  void claimOfAnEndedProcessOrAnotherDirectoryCountsForNothing() throws Exception {
    Path owner = root.resolve("store.owner");
    String own = Files.readString(owner);
    String[] fields = own.lines().toList().get(1).split(" ");
    storage.close();
    List<String> claims =
        List.of(
            own.replace(" " + fields[4] + " ", " 1 "), // an earlier process of this number
            own.replace(" " + fields[3] + " " + fields[4], " 4194304 1"), // none
            own.replace(fields[1], "another-boot"),
            own.replace(fields[5], "(dev=1,ino=2)"), // a copy of the directory
            own.lines().toList().getFirst() + "\n",
            "x\nowner-1 a b c d e f\n",
            "x\nowner-2 " + String.join(" ", List.of(fields).subList(1, 7)) + "\n");
    for (String claim : claims) {
      Files.write(owner, claim.getBytes(StandardCharsets.UTF_8));
      try (FileStorage next = FileStorage.open(root)) {
        assertThat(next.lock("the next").isHeld()).as(claim).isTrue();
      }
    }
    Files.writeString(owner, own.replace(fields[6], "opened-by-another-class-loader"));
    try (FileStorage next = FileStorage.open(root)) {
      assertThatThrownBy(() -> next.lock("the next"))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("another class loader");
    }
  }
}
