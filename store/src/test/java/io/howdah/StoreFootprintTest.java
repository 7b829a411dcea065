package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a store takes of disk and memory is what docs/operating.md, Sizing, computes. */
@EnabledOnOs(OS.LINUX)
final class StoreFootprintTest {

  private static final Percentage FIFTH = Percentage.withPercentage(20);
  private static final long MIB = 1 << 20;
  private static final int VALUE_BYTES = 1000;
  private static final int BATCH = 64;
  private static final int OVERWRITES = 3;

  private static final int PARTITIONS = 3;
  private static final int RING_BYTES = 1 << 19;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(512 * MIB)
          .withPartitions(PARTITIONS)
          .withRingBytes(RING_BYTES);

  /** Superblock, summaries, the force note and the lock. */
  private static final long SMALL_FILES_BYTES = 200 << 10;

  @TempDir Path directory;

  private static long max(long... values) {
    return Arrays.stream(values).max().orElseThrow();
  }

  /** Puts all entries once, and returns the greatest length of log that was needed meanwhile. */
  private static long put(Store store, PersistentMap<Long, byte[]> map, int count, int round) {
    long most = 0;
    byte[] value = new byte[VALUE_BYTES];
    Arrays.fill(value, (byte) round);
    for (int i = 0; i < count; i += BATCH) {
      long first = i;
      store.run(
          TxOptions.async(),
          tx -> {
            for (int k = 0; k < BATCH; k++) {
              map.put(tx, first + k, value);
            }
          });
      most = max(most, store.admin().checkpointStats().logBytes());
    }
    return most;
  }

  private static PersistentMap<Long, byte[]> map(Store store) {
    return store.map("entries", Codec.int64(), Codec.bytes());
  }

  private static long occupiedBytes(Path path) {
    try (Stream<Path> files = Files.walk(path)) {
      long bytes = 0;
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        bytes += blocksOf(file);
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long blocksOf(Path file) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", "%b %B", file.toString()).start();
    String[] said =
        new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .strip()
            .split(" ", -1);
    return Long.parseLong(said[0]) * Long.parseLong(said[1]);
  }

  private static long ofImage(long allocatedBytes) {
    return allocatedBytes + allocatedBytes / 1000;
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 24, 48})
  void theDiskOfAStoreIsItsImageAndTheLogBetweenTwoCheckpoints(int mib) {
    int count = mib << 10;
    long logBytes;
    long allocated;
    try (Store store = Store.open(directory, OPTIONS)) {
      PersistentMap<Long, byte[]> map = map(store);
      put(store, map, count, 0);
      store.admin().checkpoint();
      logBytes = 0;
      for (int i = 1; i <= OVERWRITES; i++) {
        logBytes = max(logBytes, put(store, map, count, i));
      }
      store.admin().checkpoint();
      allocated = store.admin().stats().allocatedBytes();
      long open = ofImage(allocated) + logBytes + OPTIONS.logSegmentBytes() + SMALL_FILES_BYTES;
      assertThat(occupiedBytes(directory)).as("open").isCloseTo(open, FIFTH);
    }
    long spare = max(8 * MIB, allocated);
    long closed = ofImage(allocated) + Math.min(logBytes, spare) + SMALL_FILES_BYTES;
    if (allocated >= 40 * MIB) {
      assertThat(occupiedBytes(directory)).as("closed").isCloseTo(closed, FIFTH);
    } else {
      // Whole segments are kept, so one may be too long for the rest.
      assertThat(occupiedBytes(directory))
          .as("closed")
          .isBetween(closed - OPTIONS.logSegmentBytes(), closed + closed / 5);
    }
  }

  /** Resident bytes of the mappings of files whose path ends so, as the kernel tells. */
  private static long residentBytes(String end) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
    long bytes = 0;
    boolean counts = false;
    for (String line : lines) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        counts = line.endsWith(end);
      } else if (counts && line.startsWith("Rss:")) {
        bytes += Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    return bytes;
  }

  @Test
  void theMemoryOfItsDataIsWhatIsAllocated() throws IOException {
    try (Store store = Store.open(directory, OPTIONS)) {
      put(store, map(store), 24 << 10, 0);
    }
    try (Store store = Store.open(directory, OPTIONS)) {
      put(store, map(store), 24 << 10, 1);
      long allocated = store.admin().stats().allocatedBytes();
      assertThat(residentBytes(directory.toRealPath().resolve("image").toString()))
          .isCloseTo(allocated, FIFTH);
    }
  }

  /** Returns the directory of the rings of a store that is open. */
  private static Path rings(Path store) throws IOException {
    try (Stream<Path> places = Files.list(Path.of("/dev/shm"))) {
      for (Path place : (Iterable<Path>) places::iterator) {
        Path note = place.resolve("owner");
        if (Files.isRegularFile(note) && Files.readString(note).contains(store.toString())) {
          return place;
        }
      }
    }
    throw new AssertionError("no rings of " + store);
  }

  @Test
  void theTmpfsHasARingForEachPartition() throws IOException {
    try (Store store = Store.open(directory, OPTIONS)) {
      put(store, map(store), 4 << 10, 0);
      assertThat(occupiedBytes(rings(directory.toRealPath())))
          .isCloseTo(PARTITIONS * (RING_BYTES + 4096L), FIFTH);
    }
  }
}
