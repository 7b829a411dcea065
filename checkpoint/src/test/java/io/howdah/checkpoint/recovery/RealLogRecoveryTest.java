package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.Backing;
import io.howdah.core.StoreId;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.log.LogOptions;
import io.howdah.log.commit.RingDirectory;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Recovery behind the real log, on real files. */
class RealLogRecoveryTest {

  /**
   * Nothing is forced unless somebody waits for it, with this clock, however long a test takes: an
   * abandoned store must not write beside the next one.
   */
  private static final LogOptions LAZY =
      new LogOptions(
          10_000_000_000L,
          0,
          1_000_000_000,
          LogOptions.DEFAULTS.firstSegmentBytes(),
          LogOptions.DEFAULTS.largestSegmentBytes(),
          Long.MAX_VALUE);

  @TempDir Path directory;
  private Storage storage;
  private final Map<Long, Long> expected = new HashMap<>();
  private final SplittableRandom random = new SplittableRandom(5);

  @BeforeEach
  void createStore() {
    storage = FileStorage.open(directory);
    LoggedStore.create(storage, new StoreId(random.nextLong(), random.nextLong()));
  }

  private LoggedStore open(RecoveryOptions options) {
    LoggedStore store = LoggedStore.open(storage, new StandingClock(), options, LAZY);
    assertWords(store);
    return store;
  }

  private void assertWords(LoggedStore store) {
    for (long address = 0; address < LoggedStore.REGION_BYTES; address += 8) {
      assertThat(store.region().getLong(address)).isEqualTo(expected.getOrDefault(address, 0L));
    }
  }

  private long commits(LoggedStore store, int count) {
    long last = 0;
    for (int i = 0; i < count; i++) {
      Map<Long, Long> words = new HashMap<>();
      for (int w = random.nextInt(1, 8); w > 0; w--) {
        words.put(random.nextLong(LoggedStore.REGION_BYTES / 8) * 8, random.nextLong());
      }
      last = store.commit(random.nextInt(3), words);
      expected.putAll(words);
    }
    return last;
  }

  @ParameterizedTest
  @EnumSource(Backing.class)
  void whatReturnedSurvivesKillsAndCleanCloses(Backing backing) {
    RecoveryOptions options = new RecoveryOptions(backing, 4 << 20, Long.MAX_VALUE, 1 << 20, false);
    long lsn = 0;
    for (int round = 0; round < 8; round++) {
      LoggedStore store = open(options);
      assertThat(store.recovered.report().lsn()).isEqualTo(lsn);
      if (round > 0) {
        assertThat(store.recovered.report().outcome())
            .isEqualTo(new RecoveryOutcome.AfterKill(lsn, 0));
        assertThat(store.recovered.report().rings()).isInstanceOf(RingTrust.Trusted.class);
      }
      commits(store, 100);
      store.log.awaitStable(store.log.lanes().clock(), 60_000_000_000L);
      lsn = commits(store, 100);
      // Abandoned as a kill leaves it: the flusher sleeps, the rings hold the second half.
    }
    LoggedStore store = open(options);
    store.closeCleanly();
    store = open(options);
    assertThat(store.recovered.report().outcome()).isEqualTo(new RecoveryOutcome.Clean());
    assertThat(store.recovered.report().counts().scannedBytes()).isZero();
    commits(store, 10);
    store.closeCleanly();
    assertThat(Files.exists(Path.of("/dev/shm", store.placeName()))).isFalse();
  }

  @Test
  void whatWasForcedSurvivesTheLossOfRings() {
    LoggedStore store = open(RecoveryOptions.DEFAULTS);
    long lsn = commits(store, 100);
    store.log.awaitStable(lsn, 60_000_000_000L);
    Map<Long, Long> durable = Map.copyOf(expected);
    commits(store, 50);
    // Where a volatile place has no room, the store's directory has them.
    store
        .storage
        .volatilePlace(store.placeName(), false, 0)
        .ifPresentOrElse(
            place -> place.delete("1"), () -> storage.delete(RingDirectory.DIRECTORY + "/1"));
    expected.clear();
    expected.putAll(durable);
    store = open(RecoveryOptions.DEFAULTS);
    assertThat(store.recovered.report().outcome())
        .isEqualTo(new RecoveryOutcome.AfterPowerCut(lsn, 0, 0, 0));
    assertThat(store.recovered.report().rings()).isInstanceOf(RingTrust.Untrusted.class);
    commits(store, 3);
    open(RecoveryOptions.DEFAULTS).closeCleanly();
  }

  @Test
  void aCopyOfARunningStoreLeavesTheRingsOfTheOriginalAlone(@TempDir Path copy) throws IOException {
    LoggedStore original = open(RecoveryOptions.DEFAULTS);
    assertThat(original.log.awaitStable(commits(original, 100), 60_000_000_000L)).isTrue();
    assumeTrue(
        original.storage.volatilePlace(original.placeName(), false, 0).isPresent(),
        "a copy has rings of its own if they lie in the store's directory");
    Map<Long, Long> durable = Map.copyOf(expected);
    long lsn = commits(original, 50);
    copyTree(directory, copy);
    try (Storage copied = FileStorage.open(copy)) {
      LoggedStore store =
          LoggedStore.open(copied, new StandingClock(), RecoveryOptions.DEFAULTS, LAZY);
      assertThat(store.recovered.report().outcome())
          .isEqualTo(new RecoveryOutcome.AfterPowerCut(100, 0, 0, 0));
      assertThat(store.recovered.report().rings())
          .asString()
          .contains("belongs to the store that this one is a copy of");
      durable.forEach((word, value) -> assertThat(store.region().getLong(word)).isEqualTo(value));
      store.closeCleanly();
    }
    // Abandoned as a kill leaves it.
    assertThat(open(RecoveryOptions.DEFAULTS).recovered.report().outcome())
        .isEqualTo(new RecoveryOutcome.AfterKill(lsn, 0));
  }

  private static void copyTree(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }
}
