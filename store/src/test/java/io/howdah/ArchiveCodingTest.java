package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.core.Execution;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Archives that are compressed, encrypted, or both. */
final class ArchiveCodingTest {

  private static final byte[] KEY =
      "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final long SECRET = 0x5345_4352_4554_2121L;

  private static SimulatedDisk place() {
    return SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
  }

  /** Fills an archive with a word that is easily found; returns its length. */
  private static long fill(Archive archive) {
    SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
    try (Store store =
        Store.open(ArchiveTest.OPTIONS.withStorage(disk.storage()).withArchive(archive))) {
      for (int i = 0; i < ArchiveTest.WORDS; i++) {
        ArchiveTest.put(store, i, SECRET);
      }
      store.admin().checkpoint();
      store.admin().updateArchive();
      ArchiveTest.put(store, 0, SECRET + 1);
    }
    return StoreArchives.list(archive).bytes();
  }

  private static List<Long> restored(Archive archive) {
    SimulatedDisk target = SimulatedDisk.seeded(3);
    StoreArchives.restore(archive, target::storage, ArchiveMoment.latest(), Execution.system());
    try (Store store = Store.open(ArchiveTest.OPTIONS.withStorage(target.storage()))) {
      return ArchiveTest.words(store);
    }
  }

  private static boolean isReadable(SimulatedDisk place) {
    return place.storage().list("").stream()
        .map(name -> new String(place.contents(name), StandardCharsets.ISO_8859_1))
        .anyMatch(text -> text.contains("!!TERCES")); // little-endian
  }

  @Test
  void eachCodingIsRestored() {
    SimulatedDisk plainPlace = place();
    long plain = fill(ArchiveTest.archive(plainPlace));
    assertThat(isReadable(plainPlace)).isTrue();
    for (boolean isCompressed : new boolean[] {false, true}) {
      for (boolean isEncrypted : new boolean[] {false, true}) {
        SimulatedDisk place = place();
        Archive archive = ArchiveTest.archive(place).withCompression(isCompressed);
        if (isEncrypted) {
          archive = archive.withKey(KEY);
        }
        long bytes = fill(archive);
        assertThat(2 * bytes < plain).as("much shorter").isEqualTo(isCompressed);
        assertThat(restored(archive).get(0)).isEqualTo(SECRET + 1);
        assertThat(StoreArchives.verify(archive).damages()).isEmpty();
        if (isEncrypted) {
          assertThat(isReadable(place)).isFalse();
          Archive without = ArchiveTest.archive(place);
          assertThatThrownBy(() -> restored(without))
              .isInstanceOf(UnsupportedStoreException.class)
              .hasMessageContaining("give the key");
          byte[] other = Arrays.copyOf(KEY, KEY.length);
          other[5] ^= 1;
          assertThatThrownBy(() -> restored(without.withKey(other)))
              .isInstanceOf(UnsupportedStoreException.class)
              .hasMessageContaining("another key");
        }
      }
    }
  }
}
