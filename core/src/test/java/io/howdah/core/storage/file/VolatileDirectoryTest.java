package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.file.VolatileDirectory.Foreign;
import io.howdah.core.storage.file.VolatileDirectory.Owner;
import io.howdah.core.storage.file.VolatileDirectory.OwnerState;
import io.howdah.core.storage.file.VolatileDirectory.Place;
import io.howdah.core.storage.file.VolatileDirectory.State;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lies in a tmpfs, and what of it is removed. */
final class VolatileDirectoryTest {

  private static final Path SHM = Path.of("/dev/shm");
  private static final String NAME = "howdah-1-2-a";
  private static final int CAPACITY = 4096;

  @TempDir private Path temporary;

  private Path memory;

  @BeforeEach
  void makeDirectory() throws IOException {
    assumeTrue(
        Files.isDirectory(SHM)
            && Files.getFileStore(SHM).type().equals("tmpfs")
            && Files.isWritable(SHM),
        "no tmpfs at /dev/shm");
    memory = Files.createTempDirectory(SHM, "howdah-test-");
  }

  @AfterEach
  void clean() throws IOException {
    if (memory != null) {
      delete(memory);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (var entries = Files.walk(directory)) {
      for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }

  private FileStorage store(String name) {
    return FileStorage.open(
        temporary.resolve(name), FileStorageOptions.DEFAULT.withVolatileDirectory(memory));
  }

  /** Makes a place as an opening does, with one ring. */
  private Path place(FileStorage store, String name, long unforcedBytes) {
    return place(store, name, unforcedBytes, RingLayout.IDLE);
  }

  private Path place(FileStorage store, String name, long unforcedBytes, long inflight) {
    try (Storage place = store.volatilePlace(name, true, 1).orElseThrow();
        StorageFile ring = place.create("0")) {
      ByteBuffer bytes =
          ByteBuffer.allocateDirect(RingLayout.HEADER_LENGTH + CAPACITY)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(RingLayout.MAGIC_OFFSET, RingLayout.MAGIC)
              .putLong(RingLayout.INFLIGHT_OFFSET, inflight)
              .putLong(RingLayout.TAIL_OFFSET, 64 + unforcedBytes)
              .putLong(RingLayout.FORCED_OFFSET, 64);
      ring.write(0, bytes);
    }
    return memory.resolve(name);
  }

  /** Makes the note name a process that has ended: with this number, another one was started. */
  private static void endProcess(Path place) throws IOException {
    Path note = place.resolve(PlaceNote.FILE_NAME);
    String[] lines = Files.readString(note).split("\n", -1);
    String[] fields = lines[1].split(" ", -1);
    fields[4] = Long.toString(Long.parseLong(fields[4]) - 1);
    lines[1] = String.join(" ", fields);
    Files.writeString(note, String.join("\n", lines));
  }

  /** Makes the note name a process of another container. */
  private static void hideProcess(Path place) throws IOException {
    Path note = place.resolve(PlaceNote.FILE_NAME);
    Files.writeString(note, Files.readString(note).replaceFirst("pid:\\[\\d+\\]", "pid:[1]"));
  }

  private Place listed() {
    VolatileDirectory.Listing listing = VolatileDirectory.list(memory);
    assertThat(listing.foreign()).isEmpty();
    assertThat(listing.isComplete()).isTrue();
    assertThat(listing.places()).hasSize(1);
    return listing.places().getFirst();
  }

  @Test
  void aPlaceSaysWhoseItIs() throws Exception {
    try (FileStorage store = store("a store\nü%0A%")) {
      place(store, NAME, 128);
      Place place = listed();
      assertThat(place.name()).isEqualTo(NAME);
      assertThat(place.store()).isEqualTo(temporary.resolve("a store\nü%0A%").toRealPath());
      assertThat(place.process()).contains("process " + ProcessHandle.current().pid());
      assertThat(place.state()).isEqualTo(State.OPEN);
      assertThat(place.owner())
          .isEqualTo(new Owner(ProcessHandle.current().pid(), OwnerState.RUNS));
      assertThat(place.bytes()).isGreaterThan(RingLayout.HEADER_LENGTH + CAPACITY);
      assertThat(place.unforcedBytes()).hasValue(128);
      assertThat(VolatileDirectory.remove(memory, place))
          .get()
          .asString()
          .contains("it is in use by process");
      assertThat(memory.resolve(NAME)).exists();
    }
  }

  @Test
  void whatAKilledProcessHasLeftIsRemovedWithItsLock() throws Exception {
    try (FileStorage store = store("store")) {
      Path path = place(store, NAME, 0);
      endProcess(path);
      Place place = listed();
      assertThat(place.state()).isEqualTo(State.LEFT);
      assertThat(place.owner().state()).isEqualTo(OwnerState.ENDED);
      assertThat(place.isForced()).isTrue();
      assertThat(VolatileDirectory.remove(memory, place)).isEmpty();
      try (var rest = Files.list(memory)) {
        assertThat(rest).isEmpty();
      }
      assertThat(VolatileDirectory.remove(memory, place)).as("again").isEmpty();
    }
  }

  /** Another process may have taken over what this one has made. */
  @Test
  void whatIsOfAStoreThatIsOpenIsNotRemoved() throws Exception {
    try (FileStorage store = store("store")) {
      Path path = place(store, NAME, 0);
      endProcess(path);
      Place before = listed();
      assertThat(before.state()).isEqualTo(State.LEFT);
      try (StorageLock lock = store.lock("test")) {
        assertThat(lock.isHeld()).isTrue();
        assertThat(listed().state()).isEqualTo(State.OPEN);
        assertThat(listed().owner().state()).as("of the later process").isEqualTo(OwnerState.RUNS);
        assertThat(VolatileDirectory.remove(memory, before)).hasValue("its store is open");
        // Its claim is gone, and it was moved: its lock still keeps the place.
        Path moved = Files.move(temporary.resolve("store"), temporary.resolve("moved"));
        Place gone = listed();
        assertThat(gone.state()).isEqualTo(State.ABANDONED);
        assertThat(VolatileDirectory.remove(memory, gone)).hasValue("its store is open");
        store.removeAbandonedPlaces();
        assertThat(path).exists();
        Files.move(moved, temporary.resolve("store"));
      }
    }
  }

  @Test
  void aStoreWhoseDirectoryIsGoneHasAbandonedItsPlace() throws Exception {
    try (FileStorage store = store("store")) {
      endProcess(place(store, NAME, 0));
    }
    delete(temporary.resolve("store"));
    assertThat(listed().state()).isEqualTo(State.ABANDONED);
    Files.createDirectory(temporary.resolve("other")); // so that the inode is not used again
    Files.createDirectory(temporary.resolve("store"));
    assertThat(listed().state()).as("another directory").isEqualTo(State.ABANDONED);
    assertThat(VolatileDirectory.remove(memory, listed())).isEmpty();
    assertThat(VolatileDirectory.list(memory).places()).isEmpty();
  }

  @Test
  void anOpeningRemovesWhatNothingCanNeed() throws Exception {
    Path forced;
    Path unforced;
    Path damaged;
    Path there;
    Path hidden;
    Path committing;
    try (FileStorage gone = store("gone");
        FileStorage left = store("left")) {
      forced = place(gone, "howdah-1-1-a", 0);
      unforced = place(gone, "howdah-1-1-b", 8);
      damaged = place(gone, "howdah-1-2-a", 0);
      hidden = place(gone, "howdah-1-2-b", 0);
      committing = place(gone, "howdah-1-3-a", 0, 7);
      there = place(left, "howdah-2-2-a", 0);
    }
    Files.write(damaged.resolve("0"), new byte[64]);
    endProcess(forced);
    endProcess(unforced);
    endProcess(damaged);
    endProcess(there);
    endProcess(committing);
    hideProcess(hidden);
    delete(temporary.resolve("gone"));
    assertThat(VolatileDirectory.list(memory).places())
        .filteredOn(place -> place.name().equals("howdah-1-2-a"))
        .singleElement()
        .satisfies(place -> assertThat(place.unforcedBytes()).isEqualTo(OptionalLong.empty()));
    try (FileStorage other = store("other")) {
      other.removeAbandonedPlaces();
    }
    assertThat(forced).doesNotExist();
    assertThat(unforced).exists();
    assertThat(damaged).exists();
    assertThat(there).exists();
    assertThat(hidden).exists();
    assertThat(committing).as("explains an LSN that the log lacks").exists();
  }

  @Test
  void aProcessOfAnotherContainerIsNotTakenForEnded() throws Exception {
    try (FileStorage store = store("store")) {
      hideProcess(place(store, NAME, 0));
      assertThat(listed().state()).isEqualTo(State.UNKNOWN);
      assertThat(listed().owner().state()).isEqualTo(OwnerState.UNKNOWN);
    }
  }

  @Test
  void whatHowdahDidNotMakeIsNamedAndLeft() throws Exception {
    Path own;
    try (FileStorage store = store("store")) {
      own = place(store, NAME, 0);
      endProcess(own);
    }
    Path elsewhere = Files.createFile(temporary.resolve("precious"));
    Place before = listed();
    Files.createSymbolicLink(own.resolve("1"), elsewhere);
    assertThat(VolatileDirectory.remove(memory, before))
        .hasValue("it holds 1, which is not a file of this user");
    Files.createSymbolicLink(memory.resolve("howdah-link"), temporary);
    Files.createFile(memory.resolve("howdah-file"));
    Files.createFile(memory.resolve("howdah-lock-1"));
    Files.createFile(memory.resolve("other"));
    Files.createDirectory(
        memory.resolve("howdah-open"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    Path silent = Files.createDirectory(memory.resolve("howdah-silent"));
    Files.setPosixFilePermissions(silent, PosixFilePermissions.fromString("rwx------"));
    Files.write(silent.resolve(PlaceNote.FILE_NAME), new byte[] {10, 10, 10, (byte) 200});
    VolatileDirectory.Listing listing = VolatileDirectory.list(memory);
    assertThat(listing.places()).isEmpty();
    assertThat(listing.foreign())
        .containsExactly(
            new Foreign(NAME, "it holds 1, which is not a file of this user"),
            new Foreign("howdah-file", "no directory"),
            new Foreign("howdah-link", "a symbolic link"),
            new Foreign("howdah-open", "open to other users"),
            new Foreign("howdah-silent", "it does not say which store it belongs to"));
    assertThat(elsewhere).exists();
    assumeTrue(Objects.equals(RunningKernel.userId(), 0), "only root can give a directory away");
    Files.setAttribute(silent, "unix:uid", 12345);
    assertThat(VolatileDirectory.list(memory).foreign())
        .contains(new Foreign("howdah-silent", "of user 12345"));
  }

  @Test
  void aPlaceThatWasMadeAnewSinceItWasListedIsLeft() throws Exception {
    try (FileStorage store = store("store")) {
      Path path = place(store, NAME, 0);
      endProcess(path);
      Place place = listed();
      delete(path);
      place(store, NAME, 0);
      assertThat(VolatileDirectory.remove(memory, place)).isPresent();
      assertThat(path).exists();
    }
  }

  @Test
  void aDirectoryThatIsNotThereIsTold() {
    assertThatThrownBy(() -> VolatileDirectory.list(memory.resolve("absent")))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("absent");
  }
}
