package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.Region;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.StorageName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FileStorageTest {

  private static final int PAGE = 4096;

  @TempDir Path temporary;

  private Path root;

  @BeforeEach
  void nameRoot() {
    root = temporary.resolve("store");
  }

  private static ByteBuffer page(int fill, int count) {
    ByteBuffer buffer = ByteBuffer.allocateDirect((count + 1) * PAGE).alignedSlice(PAGE);
    buffer.limit(count * PAGE);
    while (buffer.hasRemaining()) {
      buffer.put((byte) fill);
    }
    return buffer.flip();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static void assertFails(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void createsItsDirectoryAndFilesForTheOwnerAlone() throws Exception {
    try (FileStorage storage = FileStorage.open(root)) {
      storage.createDirectory("log");
      storage.createDirectory("log");
      storage.create("log/1.seg").close();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root)))
          .isEqualTo("rwx------");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("log"))))
          .isEqualTo("rwx------");
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(root.resolve("log/1.seg"))))
          .isEqualTo("rw-------");
      assertThat(storage.describe()).isEqualTo(root.toRealPath().toString());
    }
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void readsWhatWasWritten(Access access) {
    try (FileStorage storage = FileStorage.open(root)) {
      try (StorageFile file = storage.create("data")) {
        file.write(0, page(1, 2));
        file.write(PAGE, page(2, 1));
        file.force();
      }
      storage.forceDirectory("");
      try (StorageFile file = storage.open("data", access)) {
        ByteBuffer target = page(0, 4);
        assertThat(file.read(0, target)).isEqualTo(2 * PAGE);
        byte[] read = bytes(target.flip());
        assertThat(Arrays.copyOf(read, PAGE)).containsOnly(1);
        assertThat(Arrays.copyOfRange(read, PAGE, 2 * PAGE)).containsOnly(2);
        assertThat(file.read(2 * PAGE, page(0, 1))).isZero();
        assertThat(file.sizeBytes()).isEqualTo(2 * PAGE);
      }
    }
  }

  @Test
  void directWritesReachTheFile() {
    try (FileStorage storage = FileStorage.open(root)) {
      storage.create("data").close();
      try (StorageFile direct = storage.open("data", Access.DIRECT);
          StorageFile buffered = storage.open("data", Access.READ)) {
        direct.write(0, page(3, 3));
        direct.write(PAGE, page(4, 1));
        ByteBuffer target = page(0, 3);
        assertThat(buffered.read(0, target)).isEqualTo(3 * PAGE);
        byte[] read = bytes(target.flip());
        assertThat(read[0]).isEqualTo((byte) 3);
        assertThat(read[PAGE]).isEqualTo((byte) 4);
        assertThat(read[2 * PAGE]).isEqualTo((byte) 3);
      }
    }
  }

  @Test
  void directReadStopsAtAnEndThatIsNoWholeBlock() {
    try (FileStorage storage = FileStorage.open(root)) {
      try (StorageFile file = storage.create("data")) {
        file.write(0, page(5, 1).limit(100));
      }
      try (StorageFile direct = storage.open("data", Access.DIRECT)) {
        ByteBuffer target = page(0, 2);
        assertThat(direct.read(0, target)).isEqualTo(100);
        assertThat(target.position()).isEqualTo(100);
      }
    }
  }

  @Test
  void misalignedDirectAccessIsTheCallersMistake() {
    try (FileStorage storage = FileStorage.open(root)) {
      storage.create("data").close();
      try (StorageFile direct = storage.open("data", Access.DIRECT)) {
        int alignment = direct.alignmentBytes();
        assumeTrue(alignment > 1, "the file system has no direct access");
        assertThat(alignment).isLessThanOrEqualTo(PAGE);
        assertThatThrownBy(() -> direct.write(8, page(1, 1)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("offset 8");
        assertThatThrownBy(() -> direct.write(0, page(1, 1).limit(8)))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> direct.write(0, page(1, 2).position(8).limit(8 + PAGE)))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> direct.read(-PAGE, page(1, 1)))
            .isInstanceOf(IllegalArgumentException.class);
        assertThat(direct.sizeBytes()).isZero();
      }
      try (StorageFile buffered = storage.open("data", Access.READ_WRITE)) {
        assertThat(buffered.alignmentBytes()).isEqualTo(1);
        buffered.write(3, page(1, 1).limit(5));
        assertThat(buffered.sizeBytes()).isEqualTo(8);
      }
    }
  }

  @Test
  void writingAFileOpenedForReadingFails() {
    try (FileStorage storage = FileStorage.open(root)) {
      storage.create("data").close();
      try (StorageFile file = storage.open("data", Access.READ)) {
        assertFails(Reason.ACCESS_DENIED, () -> file.write(0, page(1, 1)));
        assertFails(Reason.ACCESS_DENIED, () -> file.setSize(8));
      }
    }
  }

  @Test
  void setSizeExtendsWithoutBlocksAndCuts() throws Exception {
    try (FileStorage storage = FileStorage.open(root);
        StorageFile file = storage.create("image")) {
      file.setSize(1L << 30);
      assertThat(file.sizeBytes()).isEqualTo(1L << 30);
      assertThat(allocatedBytes(root.resolve("image"))).isZero();
      ByteBuffer target = page(9, 1);
      assertThat(file.read((1L << 30) - PAGE, target)).isEqualTo(PAGE);
      assertThat(bytes(target.flip())).containsOnly(0);
      file.setSize(PAGE);
      assertThat(file.sizeBytes()).isEqualTo(PAGE);
      file.setSize(PAGE);
      assertThat(file.sizeBytes()).isEqualTo(PAGE);
    }
  }

  @Test
  void failuresNameOperationFileAndReason() {
    try (FileStorage storage = FileStorage.open(root)) {
      assertFails(Reason.MISSING, () -> storage.open("absent", Access.READ));
      assertFails(Reason.MISSING, () -> storage.create("absent/file"));
      assertFails(Reason.MISSING, () -> storage.rename("absent", "other"));
      assertFails(Reason.MISSING, () -> storage.forceDirectory("absent"));
      assertFails(Reason.MISSING, () -> storage.mapShared("absent", 8));
      assertFails(Reason.MISSING, () -> storage.mapPrivate("absent", 8));
      assertFails(Reason.MISSING, () -> storage.identity("absent"));
      storage.create("file").close();
      assertFails(Reason.EXISTS, () -> storage.create("file"));
      assertFails(Reason.EXISTS, () -> storage.createDirectory("file"));
      storage.createDirectory("directory");
      storage.create("directory/file").close();
      assertFails(Reason.EXISTS, () -> storage.delete("directory"));
      assertFails(Reason.ACCESS_DENIED, () -> storage.open("directory", Access.READ));
      assertFails(Reason.ACCESS_DENIED, () -> storage.list("file"));
      assertThatThrownBy(() -> storage.open("absent", Access.READ))
          .hasMessageContaining("open " + root.resolve("absent"));
    }
  }

  @Test
  void renameReplacesAndDeleteForgets() {
    try (FileStorage storage = FileStorage.open(root)) {
      try (StorageFile file = storage.create("a")) {
        file.write(0, page(1, 1).limit(3));
      }
      storage.create("b").close();
      FileIdentity identity = storage.identity("a");
      assertThat(identity).isNotEqualTo(storage.identity("b"));
      assertThat(identity.inode()).isNotZero();
      storage.rename("a", "b");
      assertThat(storage.identity("b")).isEqualTo(identity);
      assertThat(storage.exists("a")).isFalse();
      assertThat(storage.list("")).containsExactly("b");
      storage.delete("b");
      storage.delete("b");
      assertThat(storage.exists("b")).isFalse();
      assertThat(storage.list("absent")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "..",
        ".",
        "../x",
        "a/../b",
        "/etc/passwd",
        "a//b",
        "a/",
        "/",
        "a\\b",
        "a\0b",
        "a b",
        ".hidden",
        "a/.b",
        "ä",
        "store.lock",
        "store.owner"
      })
  void namesThatLeadElsewhereAreRefused(String name) {
    try (FileStorage storage = FileStorage.open(root)) {
      assertThatThrownBy(() -> storage.create(name)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> storage.open(name, Access.READ))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> storage.delete(name)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> storage.rename("a", name))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> storage.mapShared(name, 8))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void longNamesAndTheRootAreNotFiles() {
    try (FileStorage storage = FileStorage.open(root)) {
      assertThatThrownBy(() -> storage.create("x".repeat(StorageName.MAX_LENGTH + 1)))
          .isInstanceOf(IllegalArgumentException.class);
      storage.create("x".repeat(StorageName.MAX_LENGTH)).close();
      assertThatThrownBy(() -> storage.delete("")).isInstanceOf(IllegalArgumentException.class);
      assertFails(Reason.ACCESS_DENIED, () -> storage.open("", Access.READ));
    }
  }

  @Test
  void symbolicLinksBelowTheRootAreNotFollowed() throws Exception {
    Path outside = Files.createDirectory(temporary.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "secret");
    try (FileStorage storage = FileStorage.open(root)) {
      Files.createSymbolicLink(root.resolve("file"), outside.resolve("secret"));
      Files.createSymbolicLink(root.resolve("directory"), outside);
      Files.createSymbolicLink(root.resolve("dangling"), outside.resolve("new"));
      assertFails(Reason.ACCESS_DENIED, () -> storage.open("file", Access.READ));
      assertFails(Reason.ACCESS_DENIED, () -> storage.open("file", Access.DIRECT));
      assertFails(Reason.ACCESS_DENIED, () -> storage.mapPrivate("file", 8));
      assertFails(Reason.ACCESS_DENIED, () -> storage.open("directory/secret", Access.READ));
      assertFails(Reason.ACCESS_DENIED, () -> storage.create("directory/new"));
      assertFails(Reason.ACCESS_DENIED, () -> storage.list("directory"));
      assertFails(Reason.EXISTS, () -> storage.create("dangling"));
      assertFails(Reason.EXISTS, () -> storage.createDirectory("directory"));
      storage.delete("file");
      assertThat(outside.resolve("secret")).exists();
      assertThat(outside.resolve("new")).doesNotExist();
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void pipesAreRefusedWithoutWaiting() throws Exception {
    try (FileStorage storage = FileStorage.open(root)) {
      Process mkfifo = new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start();
      assumeTrue(mkfifo.waitFor(10, TimeUnit.SECONDS) && mkfifo.exitValue() == 0, "no mkfifo");
      assertFails(Reason.ACCESS_DENIED, () -> storage.open("pipe", Access.READ));
    }
  }

  @Test
  void nothingIsLookedUpInADirectoryThatTookTheRootsPlace() throws Exception {
    Files.createDirectories(root);
    Files.writeString(root.resolve("a"), "mine");
    Path other = Files.createDirectory(temporary.resolve("other"));
    Files.writeString(other.resolve("a"), "another's");
    try (FileStorage storage = FileStorage.open(root);
        StorageFile open = storage.open("a", Access.READ_WRITE)) {
      Files.move(root, temporary.resolve("moved"));
      Files.move(other, root);
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> storage.open("a", Access.READ),
              () -> storage.open("a", Access.READ_WRITE),
              () -> storage.exists("a"),
              () -> storage.create("b"),
              () -> storage.rename("a", "b"),
              () -> storage.delete("a"),
              () -> storage.mapShared("a", Long.BYTES),
              () -> storage.list(""))) {
        assertFails(Reason.MISSING, call);
        assertThatThrownBy(call).hasMessageContaining("another directory");
      }
      open.write(0, ByteBuffer.wrap("ours".getBytes(StandardCharsets.UTF_8)));
    }
    assertThat(root.resolve("a")).hasContent("another's");
    assertThat(temporary.resolve("moved").resolve("a")).hasContent("ours");
  }

  @Test
  void rootIsResolvedThroughLinksOnce() throws Exception {
    Files.createDirectory(root);
    Path link = Files.createSymbolicLink(temporary.resolve("link"), root);
    try (FileStorage storage = FileStorage.open(link)) {
      Files.delete(link);
      storage.create("file").close();
      assertThat(root.resolve("file")).exists();
    }
  }

  @Test
  void missingDirectoriesAboveAreCreated() {
    FileStorage.open(temporary.resolve("no/parent")).close();
    assertThat(Files.isDirectory(temporary.resolve("no/parent"))).isTrue();
  }

  @Test
  void wrongPlacesAreRefused() throws Exception {
    Path file = Files.createFile(temporary.resolve("file"));
    assertThatThrownBy(() -> FileStorage.open(file))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining(file.toString());
    assertFails(
        Reason.MISSING, () -> FileStorage.open(root, FileStorageOptions.DEFAULT.withCreate(false)));
  }

  @Test
  void directoryOfAnotherUserIsRefusedUnlessAllowed() throws Exception {
    Files.createDirectory(root);
    assumeTrue(Objects.equals(RunningKernel.userId(), 0), "only root can give a directory away");
    Files.setAttribute(root, "unix:uid", 12345);
    assertThatThrownBy(() -> FileStorage.open(root))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("12345")
        .hasMessageContaining("name a directory within it")
        .hasMessageContaining("chown 0");
    FileStorage.open(root, FileStorageOptions.DEFAULT.withForeignOwnerAllowed(true)).close();
  }

  @Test
  void aDirectoryOfTheSuperuserIsAccepted() {
    // As the root of a volume of Kubernetes with fsGroup is: root 2000, drwxrwsr-x.
    assertThat(RootDirectory.isTrusted(0, 1000)).isTrue();
    assertThat(RootDirectory.isTrusted(1000, 1000)).isTrue();
    assertThat(RootDirectory.isTrusted(1001, 1000)).isFalse();
    assertThat(RootDirectory.isTrusted(1000, 0)).isFalse();
  }

  @Test
  void aLinkThatLeadsNowhereIsCalledOne() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), temporary.resolve("gone"));
    for (boolean create : new boolean[] {false, true}) {
      assertThatThrownBy(
              () -> FileStorage.open(link, FileStorageOptions.DEFAULT.withCreate(create)))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining(link + " is a symbolic link to " + temporary.resolve("gone"));
    }
    assertThatThrownBy(() -> FileStorage.open(link.resolve("store")))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining(link + " is a symbolic link to");
  }

  @Test
  void aFileAboveTheDirectoryIsNamed() throws Exception {
    Path file = Files.createFile(temporary.resolve("plain"));
    for (String below : List.of("store", "some/store")) {
      assertThatThrownBy(() -> FileStorage.open(file.resolve(below)))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining(file + " is a file");
      assertFails(
          Reason.MISSING,
          () ->
              FileStorage.open(file.resolve(below), FileStorageOptions.DEFAULT.withCreate(false)));
    }
  }

  @Test
  void aPathOfAnotherProviderIsRefused() throws Exception {
    try (FileSystem zip =
        FileSystems.newFileSystem(temporary.resolve("a.zip"), Map.of("create", "true"))) {
      assertThatThrownBy(() -> FileStorage.open(zip.getPath("/store")))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("provider jar");
      assertThat(Files.exists(zip.getPath("/store"))).isFalse();
    }
  }

  @Test
  void sharedMappingIsTheFile() throws Exception {
    try (FileStorage storage = FileStorage.open(root)) {
      try (StorageFile file = storage.create("ring")) {
        file.write(0, page(1, 2));
      }
      try (Region region = storage.mapShared("ring", 2 * PAGE)) {
        assertThat(region.getLong(PAGE)).isEqualTo(0x0101010101010101L);
        region.setLong(PAGE, 42);
        assertThat(ByteBuffer.wrap(Files.readAllBytes(root.resolve("ring"))).get(PAGE))
            .isEqualTo((byte) 42);
      }
      assertFails(Reason.IO, () -> storage.mapShared("ring", 3 * PAGE));
      assertThat(Files.size(root.resolve("ring"))).isEqualTo(2 * PAGE);
    }
  }

  @Test
  void privateMappingReadsTheFileAndNeverWritesIt() throws Exception {
    try (FileStorage storage = FileStorage.open(root)) {
      try (StorageFile file = storage.create("image")) {
        file.write(0, page(1, 1));
      }
      long capacity = 64L << 20;
      try (Region region = storage.mapPrivate("image", capacity)) {
        assertThat(region.capacityBytes()).isEqualTo(capacity);
        assertThat(region.getLong(8)).isEqualTo(0x0101010101010101L);
        assertThat(region.getLong(capacity - 8)).isZero();
        for (long address = 0; address < capacity; address += PAGE / 2) {
          region.setLong(address, -1);
        }
        storage.forceDirectory("");
      }
      assertThat(Files.size(root.resolve("image"))).isEqualTo(capacity);
      assertThat(allocatedBytes(root.resolve("image"))).isLessThanOrEqualTo(2 * PAGE);
      try (Region region = storage.mapPrivate("image", capacity)) {
        assertThat(region.getLong(0)).isEqualTo(0x0101010101010101L);
        assertThat(region.getLong(PAGE)).isZero();
      }
    }
  }

  /** A large image is one hole behind its data, and holes take as long to read as data. */
  @Test
  void whereAFileHasToBeLoadedOnlyItsUsedPartIsRead() throws Exception {
    try (FileStorage storage = FileStorage.open(root);
        StorageFile file = storage.create("image")) {
      file.write(0, page(1, 3));
    }
    FileStorageOptions readOnly = FileStorageOptions.DEFAULT.withReadOnly(true);
    try (FileStorage storage = FileStorage.open(root, readOnly);
        // It is shorter than the region and must not become longer, so it is loaded.
        Region region = storage.mapPrivate("image", 4 * PAGE, 2 * PAGE)) {
      assertThat(region.getLong(2 * PAGE - 8)).isEqualTo(0x0101010101010101L);
      assertThat(region.getLong(2 * PAGE)).isZero();
      assertThat(region.getLong(3 * PAGE)).isZero();
    }
  }

  @Test
  void privateMappingOfPartOfAFileLeavesItsLengthAlone() throws Exception {
    try (FileStorage storage = FileStorage.open(root)) {
      try (StorageFile file = storage.create("image")) {
        file.write(0, page(1, 3));
      }
      try (Region region = storage.mapPrivate("image", 104)) {
        assertThat(region.capacityBytes()).isEqualTo(104);
      }
      assertThat(Files.size(root.resolve("image"))).isEqualTo(3 * PAGE);
    }
  }

  @Test
  void allocatedMemoryIsZeroAndLeavesNothingBehind() {
    try (FileStorage storage = FileStorage.open(root)) {
      try (Region region = storage.allocate(1L << 30)) {
        assertThat(region.getLong(1L << 29)).isZero();
        region.setLong(1L << 29, 1);
        assertThat(storage.list("")).isEmpty();
      }
      assertThat(storage.list("")).isEmpty();
    }
  }

  @Test
  void scratchOfAKilledProcessIsRemovedUnderTheLock() throws Exception {
    try (FileStorage storage = FileStorage.open(root)) {
      Files.createFile(root.resolve("scratch-123.tmp"));
      storage.lock("test");
      assertThat(storage.list("")).containsExactly("store.lock", "store.owner");
    }
  }

  @Test
  void readOnlyStorageReadsAndChangesNothing() throws Exception {
    try (FileStorage storage = FileStorage.open(root)) {
      try (StorageFile file = storage.create("image")) {
        file.write(0, page(1, 1));
        file.setSize(3L << 20);
        file.write(2L << 20, page(2, 1));
      }
    }
    try (FileStorage storage =
        FileStorage.open(root, FileStorageOptions.DEFAULT.withReadOnly(true))) {
      assertThat(storage.isReadOnly()).isTrue();
      assertFails(Reason.ACCESS_DENIED, () -> storage.create("new"));
      assertFails(Reason.ACCESS_DENIED, () -> storage.createDirectory("new"));
      assertFails(Reason.ACCESS_DENIED, () -> storage.delete("image"));
      assertFails(Reason.ACCESS_DENIED, () -> storage.rename("image", "other"));
      assertFails(Reason.ACCESS_DENIED, () -> storage.open("image", Access.READ_WRITE));
      for (Access access : List.of(Access.READ, Access.DIRECT)) {
        try (StorageFile file = storage.open("image", access)) {
          assertThat(file.read(0, ByteBuffer.allocateDirect(8))).isEqualTo(8);
          assertThatThrownBy(() -> file.write(0, page(3, 1))).isInstanceOf(RuntimeException.class);
        }
      }
      try (Region region = storage.mapPrivate("image", 4L << 20);
          Region memory = storage.allocate(PAGE)) {
        assertThat(region.getLong(0)).isEqualTo(0x0101010101010101L);
        assertThat(region.getLong(PAGE)).isZero();
        assertThat(region.getLong(2L << 20)).isEqualTo(0x0202020202020202L);
        assertThat(region.getLong((4L << 20) - 8)).isZero();
        region.setLong(0, 3);
        memory.setLong(0, 3);
      }
      assertThat(storage.list("")).containsExactly("image");
      assertThat(Files.size(root.resolve("image"))).isEqualTo(3L << 20);
    }
    assertFails(
        Reason.MISSING,
        () ->
            FileStorage.open(
                temporary.resolve("absent"), FileStorageOptions.DEFAULT.withReadOnly(true)));
  }

  @Test
  void closedStorageRefusesAndClosesItsFiles() {
    FileStorage storage = FileStorage.open(root);
    StorageFile file = storage.create("file");
    StorageLock lock = storage.lock("test");
    Region region = storage.allocate(PAGE);
    storage.close();
    storage.close();
    assertFails(Reason.CLOSED, () -> file.write(0, page(1, 1)));
    assertFails(Reason.CLOSED, file::force);
    assertFails(Reason.CLOSED, file::sizeBytes);
    assertFails(Reason.CLOSED, () -> storage.create("other"));
    assertFails(Reason.CLOSED, () -> storage.exists("file"));
    assertFails(Reason.CLOSED, storage::usableBytes);
    assertFails(Reason.CLOSED, () -> storage.allocate(8));
    assertThat(lock.isHeld()).isFalse();
    region.setLong(0, 1);
    region.close();
    file.close();
    FileStorage.open(root).close();
  }

  @Test
  void bootIsTheKernelsAndKnown() {
    try (FileStorage storage = FileStorage.open(root)) {
      assumeTrue(Files.exists(Path.of("/proc/sys/kernel/random/boot_id")), "not Linux");
      assertThat(storage.boot()).isPresent().isEqualTo(storage.boot());
      assertThat(storage.usableBytes()).isPositive();
    }
  }

  @Test
  void interruptedThreadIsToldThatItsFileIsClosed() {
    try (FileStorage storage = FileStorage.open(root);
        StorageFile file = storage.create("file")) {
      Thread.currentThread().interrupt();
      assertFails(Reason.CLOSED, () -> file.write(0, page(1, 1)));
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  private static long allocatedBytes(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    String blocks =
        new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    assumeTrue(blocks.matches("\\d+"), "no stat");
    return Long.parseLong(blocks) * 512;
  }
}
