package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.layout.ArchiveFrameLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Bases that have the pages alone that have changed since the base before. */
final class ArchiveChainTest {

  private static final int PAGE_BYTES = 4096;
  private static final int PAGES = 600;

  private final SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
  private final SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
  private final StoreOptions options =
      ArchiveTest.OPTIONS.withMaxSize(8 << 20).withRingBytes(1 << 20);

  /** The words at the starts of the pages of a block. */
  private static long put(Store store, int page, long value) {
    return store.run(
        TxOptions.sync(),
        tx -> {
          if (tx.root(2) == 0) {
            tx.root(2, tx.allocate(PAGES * PAGE_BYTES));
            for (int i = 0; i < PAGES; i++) {
              tx.putLong(tx.root(2) + (long) i * PAGE_BYTES, i + 1);
            }
          }
          tx.putLong(tx.root(2) + (long) page * PAGE_BYTES, value);
        });
  }

  private static List<Long> words(Store store) {
    return store.read(
        tx -> {
          List<Long> words = new ArrayList<>();
          for (int i = 0; i < PAGES; i++) {
            words.add(tx.getLong(tx.root(2) + (long) i * PAGE_BYTES));
          }
          return words;
        });
  }

  private Store open(Archive archive) {
    return Store.open(options.withStorage(disk.storage()).withArchive(archive));
  }

  private Store open() {
    return open(ArchiveTest.archive(place));
  }

  private List<Long> restored(Archive archive, ArchiveMoment moment) {
    SimulatedDisk target = SimulatedDisk.seeded(3);
    StoreArchives.restore(archive, target::storage, moment, Execution.system());
    assertThat(StoreBackups.check(target.storage(), Execution.system()).remarks()).isEmpty();
    try (Store store = Store.open(options.withStorage(target.storage()))) {
      return words(store);
    }
  }

  private List<String> bases() {
    return place.storage().list("").stream().filter(name -> name.contains(".base.")).toList();
  }

  private int length(String object) {
    return place.contents(object).length;
  }

  /** The states after the updates of several openings, each of which makes a base. */
  private NavigableMap<Long, List<Long>> openings(Archive archive, int count) {
    TreeMap<Long, List<Long>> states = new TreeMap<>();
    for (int opening = 0; opening < count; opening++) {
      try (Store store = open(archive)) {
        put(store, opening, 1000 + opening);
        store.admin().updateArchive();
        long lsn = put(store, 300 + opening, opening % 3 == 0 ? 0 : 2000 + opening);
        states.put(lsn, words(store));
        store.admin().updateArchive();
      }
    }
    return states;
  }

  @Test
  void aBaseHasThePagesAloneThatHaveChanged() {
    NavigableMap<Long, List<Long>> states = openings(ArchiveTest.archive(place), 10);
    List<String> bases = bases();
    assertThat(bases).hasSize(10);
    // The first opening makes an empty base, before there is a block.
    int full = bases.stream().mapToInt(this::length).max().orElseThrow();
    assertThat(full).isGreaterThan(PAGES * PAGE_BYTES);
    long large = bases.stream().filter(base -> length(base) > full / 4).count();
    assertThat(large).as("bases with all pages").isBetween(1L, 2L);
    states.forEach(
        (lsn, words) ->
            assertThat(restored(ArchiveTest.archive(place), ArchiveMoment.atLsn(lsn)))
                .as("LSN %d", lsn)
                .isEqualTo(words));
    ArchiveReport report = StoreArchives.verify(ArchiveTest.archive(place));
    assertThat(report.damages()).isEmpty();
    assertThat(report.remarks()).isEmpty();
    assertThat(report.ranges()).hasSize(10);
  }

  /** Digests would tell what the pages hold. */
  @Test
  void compressedAndEncryptedBasesAreCompared() {
    byte[] key = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    Archive archive = ArchiveTest.archive(place).withCompression(true).withKey(key);
    NavigableMap<Long, List<Long>> states = openings(archive, 4);
    states.forEach(
        (lsn, words) -> assertThat(restored(archive, ArchiveMoment.atLsn(lsn))).isEqualTo(words));
    assertThat(StoreArchives.verify(archive).damages()).isEmpty();
  }

  /** The middle one of three bases; the last one refers to it. */
  @Test
  void aBaseWhoseFormerOneIsMissingDoesNotCount() {
    openings(ArchiveTest.archive(place), 4);
    List<String> bases = bases();
    int ranges = StoreArchives.list(ArchiveTest.archive(place)).ranges().size();
    place.remove(bases.get(1));
    ArchiveReport report = StoreArchives.list(ArchiveTest.archive(place));
    assertThat(report.ranges()).hasSizeLessThan(ranges - 1);
    assertThat(report.remarks())
        .anyMatch(remark -> remark.startsWith(bases.get(3)) && remark.contains("is missing"));
    // The next base needs none of them.
    List<Long> words;
    try (Store store = open()) {
      put(store, 7, 7);
      store.admin().updateArchive();
      words = words(store);
    }
    assertThat(restored(ArchiveTest.archive(place), ArchiveMoment.latest())).isEqualTo(words);
  }

  /** A former base that has other pages, with valid checksums. */
  @Test
  void aPageThatIsNotTheOneThatWasComparedIsFound() {
    openings(ArchiveTest.archive(place), 3);
    List<String> bases = bases();
    forge(bases.get(1));
    assertThatThrownBy(() -> restored(ArchiveTest.archive(place), ArchiveMoment.latest()))
        .isInstanceOfSatisfying(
            CorruptStoreException.class, e -> assertThat(e.file()).isEqualTo(bases.get(2)))
        .hasMessageContaining("is not the one that the base names");
    assertThat(StoreArchives.verify(ArchiveTest.archive(place)).damages())
        .anyMatch(damage -> damage.startsWith(bases.get(2)));
  }

  /** Changes the last page of the last frame with pages, and its checksums. */
  private void forge(String object) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length(object)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(place.contents(object));
    int at = 0;
    int frame = -1;
    while (at < bytes.capacity()) {
      int stored = bytes.getInt(at + ArchiveFrameLayout.STORED_LENGTH_OFFSET);
      if (bytes.getInt(at + ArchiveFrameLayout.KIND_OFFSET) == 3 && stored > PAGE_BYTES) {
        frame = at;
      }
      at += ArchiveFrameLayout.HEADER_LENGTH + stored;
    }
    int payload = frame + ArchiveFrameLayout.HEADER_LENGTH;
    int end = payload + bytes.getInt(frame + ArchiveFrameLayout.STORED_LENGTH_OFFSET);
    bytes.put(end - 1, (byte) (bytes.get(end - 1) ^ 1));
    bytes.putInt(frame + ArchiveFrameLayout.PAYLOAD_CRC_OFFSET, Crc32c.of(bytes, payload, end));
    bytes.putInt(
        frame + ArchiveFrameLayout.CRC_OFFSET,
        Crc32c.of(bytes, frame, frame + ArchiveFrameLayout.CRC_OFFSET));
    try (Storage storage = place.storage();
        StorageFile file = storage.open(object, Storage.Access.READ_WRITE)) {
      file.write(0, bytes.clear());
      file.force();
    }
  }
}
