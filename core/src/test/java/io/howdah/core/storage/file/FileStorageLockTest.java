package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StoreLockedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileStorageLockTest {

  @TempDir Path temporary;

  private Path root;
  private FileStorage storage;

  @BeforeEach
  void openStorage() {
    root = temporary.resolve("store");
    storage = FileStorage.open(root);
  }

  @AfterEach
  void closeStorage() {
    storage.close();
  }

  private String tryInChild(String... more) throws Exception {
    String[] arguments = new String[1 + more.length];
    arguments[0] = root.toString();
    System.arraycopy(more, 0, arguments, 1, more.length);
    try (ChildJvm child = ChildJvm.start(List.of(), LockHolder.class, arguments)) {
      return child.readLine();
    }
  }

  @Test
  void secondHolderInThisJvmIsRefusedByWhateverPath() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), root);
    StorageLock lock = storage.lock("the first");
    assertThat(lock.isHeld()).isTrue();
    try (FileStorage other = FileStorage.open(link)) {
      assertThatThrownBy(() -> other.lock("the second"))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining(root.toString())
          .hasMessageContaining("process " + ProcessHandle.current().pid())
          .hasMessageContaining("the first");
    }
    assertThat(lock.isHeld()).isTrue();
    lock.close();
    lock.close();
    assertThat(lock.isHeld()).isFalse();
    try (FileStorage other = FileStorage.open(link)) {
      assertThat(other.lock("the second").isHeld()).isTrue();
    }
  }

  @Test
  void holderInAnotherJvmIsNamed() throws Exception {
    try (ChildJvm child = ChildJvm.start(List.of(), LockHolder.class, root.toString())) {
      assertThat(child.readLine()).isEqualTo("held true");
      assertThatThrownBy(() -> storage.lock("us"))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("process " + child.pid())
          .hasMessageContaining("host " + RunningKernel.hostName())
          .hasMessageContaining("which opened it at 20")
          .hasMessageContaining("the child");
      assertThat(child.errors()).as("standard error").isEmpty();
    }
    assertThat(root.resolve("store.owner")).as("left behind by the killed child").exists();
    assertThat(storage.lock("us").isHeld()).as("a killed holder holds nothing").isTrue();
  }

  /** The file system lost the removal of the file, or a copy of the directory brought it back. */
  @Test
  void aClaimThatWasGivenUpHereLocksNobodyOut() throws Exception {
    Path file = root.resolve("store.owner");
    StorageLock lock = storage.lock("us");
    byte[] claim = Files.readAllBytes(file);
    lock.close();
    assertThat(file).doesNotExist();
    Files.write(file, claim);
    try (StorageLock again = storage.lock("us again")) {
      assertThat(again.isHeld()).isTrue();
    }
  }

  @Test
  void aDirectoryThatCannotBeReadIsNotCalledAFile() {
    assertThatThrownBy(
            () ->
                RootDirectory.requireDirectory(
                    root,
                    path -> {
                      throw new FileSystemException(path.toString(), null, "Input/output error");
                    }))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("Input/output error");
    assertThatThrownBy(
            () ->
                RootDirectory.requireDirectory(
                    root.resolve("f"),
                    path ->
                        Files.readAttributes(Files.createFile(path), BasicFileAttributes.class)))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("is a file");
  }

  @Test
  void lockOutlivesEveryOtherUseOfTheDirectory() throws Exception {
    storage.lock("us");
    storage.createDirectory("log");
    storage.create("log/1").close();
    for (Access access : Access.values()) {
      storage.open("log/1", access).close();
    }
    storage.forceDirectory("");
    storage.forceDirectory("log");
    assertThat(storage.list("")).contains("store.lock", "store.owner");
    storage.allocate(4096).close();
    storage.mapPrivate("log/1", 4096).close();
    storage.mapShared("log/1", 4096).close();
    storage.rename("log/1", "log/2");
    storage.delete("log/2");
    try (FileStorage other = FileStorage.open(root)) {
      assertThatThrownBy(() -> other.lock("other")).isInstanceOf(StoreLockedException.class);
      assertThat(other.list("")).contains("store.lock");
    }
    assertThat(tryInChild())
        .startsWith("refused")
        .contains("process " + ProcessHandle.current().pid());
    storage.close();
    assertThat(root.resolve("store.owner")).doesNotExist();
    assertThat(tryInChild()).isEqualTo("held true");
  }

  @Test
  void deletedOrReplacedLockFileIsNoticed() throws Exception {
    StorageLock lock = storage.lock("us");
    Files.move(root.resolve("store.lock"), root.resolve("kept"));
    assertThat(lock.isHeld()).as("deleted").isFalse();
    Files.createFile(root.resolve("store.lock"));
    assertThat(lock.isHeld()).as("replaced").isFalse();
    Files.delete(root.resolve("store.lock"));
    Files.move(root.resolve("kept"), root.resolve("store.lock"));
    assertThat(lock.isHeld()).as("restored").isTrue();
  }

  @Test
  void fileReplacedBetweenOpeningAndLockingIsNotTaken() throws Exception {
    Path path = root.resolve("store.lock");
    AtomicInteger opened = new AtomicInteger();
    try (StorageLock lock =
        FileStorageLock.acquire(
            root,
            "us",
            false,
            null,
            (file, writable) -> {
              FileChannel channel = PrivateFiles.open(file, writable);
              if (opened.incrementAndGet() < 3) {
                Files.move(path, root.resolve("old" + opened));
                Files.createFile(path);
              }
              return channel;
            })) {
      assertThat(opened).hasValue(3);
      assertThat(lock.isHeld()).isTrue();
      assertThat(tryInChild()).startsWith("refused");
    }
  }

  @Test
  void lockFileThatIsReplacedAtEveryTryIsGivenUpOnInTheEnd() {
    Path path = root.resolve("store.lock");
    AtomicInteger opened = new AtomicInteger();
    assertThatThrownBy(
            () ->
                FileStorageLock.acquire(
                    root,
                    "us",
                    false,
                    null,
                    (file, writable) -> {
                      FileChannel channel = PrivateFiles.open(file, writable);
                      Files.move(path, root.resolve("old" + opened.incrementAndGet()));
                      Files.createFile(path);
                      return channel;
                    }))
        .isInstanceOf(StoreLockedException.class)
        .hasMessageContaining("replaced again and again");
    assertThat(opened.get()).isBetween(2, 100);
    assertThat(storage.lock("us").isHeld()).as("nothing is left registered").isTrue();
  }

  /** Whoever wins each time: the lock is taken, or refused with the reason. */
  @Test
  void lockFileThatKeepsVanishingIsLockedOrRefused() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    Thread vandal =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!stop.get()) {
                    try {
                      Files.deleteIfExists(root.resolve("store.lock"));
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  }
                });
    for (int i = 0; i < 300; i++) {
      try {
        storage.lock("us").close();
      } catch (StoreLockedException e) {
        assertThat(e).hasMessageContaining("replaced again and again");
      }
    }
    stop.set(true);
    vandal.join();
    assertThat(storage.lock("us").isHeld()).isTrue();
  }

  @Test
  void lockFileThatIsALinkIsNotFollowed() throws Exception {
    Path outside = Files.createFile(temporary.resolve("outside"));
    Files.createSymbolicLink(root.resolve("store.lock"), outside);
    assertThatThrownBy(() -> storage.lock("us"))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.ACCESS_DENIED));
    Files.delete(root.resolve("store.lock"));
    assertThat(storage.lock("us").isHeld()).as("a failed try leaves nothing registered").isTrue();
  }

  @Test
  void descriptionOfTheHolderIsShownOnlyAsFarAsItIsSane() throws Exception {
    try (ChildJvm child = ChildJvm.start(List.of(), LockHolder.class, root.toString())) {
      assertThat(child.readLine()).isEqualTo("held true");
      Path owner = root.resolve("store.owner");
      Files.write(owner, ("\u001b[31m\n" + "x".repeat(1 << 20)).getBytes(StandardCharsets.UTF_8));
      assertThatThrownBy(() -> storage.lock("us"))
          .isInstanceOf(StoreLockedException.class)
          .satisfies(
              e -> assertThat(e.getMessage()).hasSizeLessThan(2000).doesNotContain("\u001b"));
      Files.write(owner, new byte[] {(byte) 0xFF, (byte) 0xFE, 0});
      assertThatThrownBy(() -> storage.lock("us")).isInstanceOf(StoreLockedException.class);
      Files.delete(owner);
      Files.createSymbolicLink(owner, Path.of("/etc/passwd"));
      assertThatThrownBy(() -> storage.lock("us"))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("left no description");
      Files.delete(owner);
    }
  }

  /** What it left names it, but those that have the store are readers, who leave nothing. */
  @Test
  void aProcessThatWasKilledIsNotNamed() throws Exception {
    long killed;
    try (ChildJvm child = ChildJvm.start(List.of(), LockHolder.class, root.toString())) {
      assertThat(child.readLine()).isEqualTo("held true");
      killed = child.pid();
      ProcessHandle.of(killed).orElseThrow().destroyForcibly();
      child.waitFor();
    }
    assertThat(root.resolve("store.owner")).content().contains("process " + killed);
    try (ChildJvm reader =
        ChildJvm.start(List.of(), LockHolder.class, root.toString(), "read-only")) {
      assertThat(reader.readLine()).isEqualTo("held true");
      assertThatThrownBy(() -> storage.lock("us"))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("those that only read leave none")
          .hasMessageNotContaining("process " + killed);
    }
  }

  @Test
  void readersShareAndExcludeAWriter() throws Exception {
    storage.lock("creates the file").close();
    FileStorageOptions readOnly = FileStorageOptions.DEFAULT.withReadOnly(true);
    try (FileStorage reader = FileStorage.open(root, readOnly)) {
      StorageLock lock = reader.lock("a reader");
      assertThat(lock.isHeld()).isTrue();
      assertThat(root.resolve("store.owner")).doesNotExist();
      assertThat(tryInChild("read-only")).isEqualTo("held true");
      assertThat(tryInChild()).startsWith("refused");
    }
    storage.lock("a writer");
    assertThat(tryInChild("read-only")).startsWith("refused").contains("a writer");
  }

  @Test
  void readersOfOneJvmShareUntilTheLastOneLeaves() throws Exception {
    storage.lock("creates the file").close();
    FileStorageOptions readOnly = FileStorageOptions.DEFAULT.withReadOnly(true);
    try (FileStorage first = FileStorage.open(root, readOnly);
        FileStorage second = FileStorage.open(root, readOnly)) {
      StorageLock one = first.lock("one");
      StorageLock two = second.lock("two");
      assertThatThrownBy(() -> storage.lock("a writer"))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("one");
      one.close();
      one.close();
      assertThat(one.isHeld()).isFalse();
      assertThat(two.isHeld()).isTrue();
      assertThat(two.excludesWriters()).isTrue();
      assertThat(tryInChild()).startsWith("refused").contains("only read");
      assertThat(tryInChild("read-only")).isEqualTo("held true");
      assertThatThrownBy(() -> storage.lock("a writer")).isInstanceOf(StoreLockedException.class);
    }
    StorageLock writer = storage.lock("a writer");
    try (FileStorage late = FileStorage.open(root, readOnly)) {
      assertThatThrownBy(() -> late.lock("late")).isInstanceOf(StoreLockedException.class);
    }
    writer.close();
    assertThat(tryInChild()).isEqualTo("held true");
  }

  @Test
  void aReaderOfACopyWithoutTheFileNoticesAWriterAndCreatesNothing() {
    FileStorageOptions readOnly = FileStorageOptions.DEFAULT.withReadOnly(true);
    try (FileStorage reader = FileStorage.open(root, readOnly)) {
      StorageLock lock = reader.lock("a reader");
      assertThat(lock.excludesWriters()).isFalse();
      assertThat(lock.isHeld()).isTrue();
      assertThat(storage.list("")).isEmpty();
      storage.lock("a writer");
      assertThat(lock.isHeld()).isFalse();
    }
  }

  @Test
  void lockingADirectoryThatIsGoneFails() throws Exception {
    Files.delete(root);
    assertThatThrownBy(() -> storage.lock("us"))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.MISSING))
        .hasRootCauseInstanceOf(NoSuchFileException.class);
  }

  @Test
  void interruptedHolderLosesNothingButTheOperation() {
    StorageLock lock = storage.lock("us");
    try (StorageFile file = storage.create("file")) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> file.write(0, ByteBuffer.allocateDirect(8)))
          .isInstanceOf(StorageException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(lock.isHeld()).isTrue();
  }
}
