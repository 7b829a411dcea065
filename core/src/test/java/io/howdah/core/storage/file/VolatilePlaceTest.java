package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VolatilePlaceTest {

  private static final Path SHM = Path.of("/dev/shm");

  @TempDir Path temporary;

  private Path memory;
  private FileStorage storage;

  @BeforeEach
  void openStorage() throws Exception {
    assumeTrue(
        Files.isDirectory(SHM)
            && Files.getFileStore(SHM).type().equals("tmpfs")
            && Files.isWritable(SHM),
        "no tmpfs at /dev/shm");
    memory = Files.createTempDirectory(SHM, "howdah-test-");
    storage = inPlace(memory);
  }

  @AfterEach
  void clean() throws Exception {
    if (storage != null) {
      storage.close();
      try (var entries = Files.walk(memory)) {
        for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(entry);
        }
      }
    }
  }

  private FileStorage inPlace(Path directory) {
    return FileStorage.open(
        temporary.resolve("store"), FileStorageOptions.DEFAULT.withVolatileDirectory(directory));
  }

  @Test
  void placeIsPrivateExclusiveAndFoundAgain() throws Exception {
    try (Storage place = storage.volatilePlace("rings-1", true, 1 << 16).orElseThrow()) {
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(memory.resolve("rings-1"))))
          .isEqualTo("rwx------");
      assertThat(place.isReadOnly()).isFalse();
      try (StorageFile file = place.create("0")) {
        file.write(0, ByteBuffer.allocateDirect(8192));
      }
      try (Region ring = place.mapShared("0", 8192)) {
        ring.setLong(4096, 42);
      }
    }
    assertThatThrownBy(() -> storage.volatilePlace("rings-1", true, 1 << 16))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.EXISTS));
    try (FileStorage next = inPlace(memory);
        Storage place = next.volatilePlace("rings-1", false, 0).orElseThrow();
        Region ring = place.mapShared("0", 8192)) {
      assertThat(ring.getLong(4096)).isEqualTo(42);
      assertThat(place.list("")).containsExactly("0", PlaceNote.FILE_NAME);
      place.delete("0");
      place.delete(PlaceNote.FILE_NAME);
      place.delete("");
    }
    assertThat(memory.resolve("rings-1")).doesNotExist();
    assertThat(storage.volatilePlace("rings-1", false, 0)).isEmpty();
  }

  @Test
  void placeWithFilesInItIsNotDeleted() {
    try (Storage place = storage.volatilePlace("rings-1", true, 1 << 16).orElseThrow()) {
      place.create("0").close();
      assertThatThrownBy(() -> place.delete("")).isInstanceOf(StorageException.class);
      assertThat(place.exists("0")).isTrue();
    }
  }

  @Test
  void thereIsNoPlaceWithoutRoomOrWithoutTmpfs() {
    assertThat(storage.volatilePlace("rings-1", true, Long.MAX_VALUE)).isEmpty();
    assertThat(memory.resolve("rings-1")).doesNotExist();
    try (FileStorage other = inPlace(temporary)) {
      assumeTrue(!isTmpfs(temporary), "the temporary directory is itself a tmpfs");
      assertThat(other.volatilePlace("rings-1", true, 1)).isEmpty();
      assertThat(other.volatilePlace("store", false, 0)).isEmpty();
    }
    try (FileStorage other = inPlace(memory.resolve("absent"))) {
      assertThat(other.volatilePlace("rings-1", true, 1)).isEmpty();
    }
  }

  @Test
  void readOnlyStorageMakesNoPlaceButFindsOne() {
    storage.volatilePlace("rings-1", true, 1).orElseThrow().close();
    FileStorageOptions readOnly =
        FileStorageOptions.DEFAULT.withVolatileDirectory(memory).withReadOnly(true);
    try (FileStorage reader = FileStorage.open(temporary.resolve("store"), readOnly)) {
      assertThat(reader.volatilePlace("rings-2", true, 1)).isEmpty();
      try (Storage place = reader.volatilePlace("rings-1", false, 0).orElseThrow()) {
        assertThat(place.isReadOnly()).isTrue();
      }
    }
    assertThat(memory.resolve("rings-2")).doesNotExist();
  }

  @Test
  void oneEighthOfTheMemoryIsLeftAlone() throws Exception {
    long total = Files.getFileStore(memory).getTotalSpace();
    long usable = Files.getFileStore(memory).getUsableSpace();
    assertThat(storage.volatilePlace("a", true, usable - total / 16)).isEmpty();
    assumeTrue(usable > total / 4, "/dev/shm is nearly full");
    storage.volatilePlace("b", true, usable - total / 4).orElseThrow().close();
  }

  @Test
  void placeOfAnotherUserOrOpenToOthersIsNotTaken() throws Exception {
    Files.createDirectory(
        memory.resolve("open"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    assertThat(storage.volatilePlace("open", false, 0)).isEmpty();
    Path own = Files.createDirectory(memory.resolve("own"));
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
    Files.createSymbolicLink(memory.resolve("link"), own);
    assertThat(storage.volatilePlace("own", false, 0)).isPresent();
    assertThat(storage.volatilePlace("link", false, 0)).isEmpty();
    Files.createFile(memory.resolve("file"));
    assertThat(storage.volatilePlace("file", false, 0)).isEmpty();
    assumeTrue(Objects.equals(RunningKernel.userId(), 0), "only root can give a directory away");
    Files.setAttribute(own, "unix:uid", 12345);
    assertThat(storage.volatilePlace("own", false, 0)).isEmpty();
  }

  /** A store whose owner is trusted was killed under the owner: its rings hold commits. */
  @Test
  void placeOfTheTrustedOwnerIsTakenAndThatOfAnotherIsNotTakenForGone() throws Exception {
    assumeTrue(Objects.equals(RunningKernel.userId(), 0), "only root can give a directory away");
    Path place = Files.createDirectory(memory.resolve("rings"));
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwx------"));
    Files.setAttribute(place, "unix:uid", 12345);
    Path root = Files.createDirectory(temporary.resolve("of-another"));
    Files.setAttribute(root, "unix:uid", 12345);
    FileStorageOptions trusting =
        FileStorageOptions.DEFAULT.withVolatileDirectory(memory).withForeignOwnerAllowed(true);
    try (FileStorage trusted = FileStorage.open(root, trusting)) {
      assertThat(trusted.volatilePlace("rings", false, 0)).isPresent();
      Files.setAttribute(place, "unix:uid", 54321);
      assertThatThrownBy(() -> trusted.volatilePlace("rings", false, 0))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("belongs to user 54321")
          .hasMessageContaining("open and close the store once as that user");
    }
  }

  @Test
  void namesThatLeadElsewhereAreRefused() {
    for (String name : new String[] {"", "..", "a/b", "/tmp", ".x"}) {
      assertThatThrownBy(() -> storage.volatilePlace(name, true, 1))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static boolean isTmpfs(Path directory) {
    try {
      return Files.getFileStore(directory).type().equals("tmpfs");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A tmpfs gives space for each page that is touched, and may have none left by then. */
  @Test
  void memoryOfAStorageInATmpfsIsNotInTheTmpfs() throws Exception {
    Path maps = Path.of("/proc/self/maps");
    assumeTrue(Files.isReadable(maps), "no list of mappings");
    Path temporaryFiles = Path.of(System.getProperty("java.io.tmpdir"));
    assumeTrue(
        !Files.getFileStore(temporaryFiles).type().equals("tmpfs"),
        "java.io.tmpdir is in one, too");
    try (FileStorage inMemory = FileStorage.open(memory.resolve("store"));
        Region region = inMemory.allocate(1 << 20)) {
      region.setLong(8, 1);
      assertThat(Files.readAllLines(maps))
          .noneMatch(line -> line.contains(memory.toString()))
          .isNotEmpty();
    }
  }
}
