package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.HowdahException;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Archives whose place takes a few bytes a second, on a simulated clock. */
final class ArchiveSlowPlaceTest {

  private static final long SECOND = 1_000_000_000;
  private static final long MEGABYTE_PER_SECOND = 1_000_000;
  private static final long MAX_LOG_BYTES = 1 << 20;
  private static final int BLOCKS = 120;
  private static final int BLOCKS_BETWEEN_CHECKPOINTS = 4;

  @RegisterExtension private final HeardMessages messages = new HeardMessages("io.howdah.archive");

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.roundRobin(1)).maxSteps(50_000_000).build();
  private final SimulatedDisk disk = disk(1);
  private final SimulatedDisk place = disk(2);

  private SimulatedDisk disk(long seed) {
    return SimulatedDisk.builder(seed).unit(CrashUnit.SECTOR).execution(execution).build();
  }

  private StoreOptions options(SimulatedDisk of) {
    return ArchiveTest.OPTIONS
        .withMaxLogBytes(MAX_LOG_BYTES)
        .withExecution(execution)
        .withStorage(of.storage());
  }

  /** An archive to which each byte takes its time. */
  private Archive slow(long bytesPerSecond) {
    return Archive.to(
        () ->
            new FaultyTarget(
                ArchiveTarget.over(place.storage()),
                call -> {
                  if (call.startsWith("append ")) {
                    pass(bytes(call) * SECOND / bytesPerSecond);
                  }
                }),
        Duration.ofMillis(100));
  }

  private static long bytes(String append) {
    return Long.parseLong(append.substring(append.lastIndexOf(' ') + 1));
  }

  /** Lets time pass for the calling thread. */
  private void pass(long nanos) {
    long until = execution.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = until - execution.nanoTime()) {
      execution.parkNanos(this, left);
    }
  }

  /** What the commits and checkpoints of a store have taken, and what was told meanwhile. */
  private static final class Seen {
    long longestNanos;
    long allNanos;
    long mostLogBytes;
    long mostLag;
  }

  private static long figure(Store store, String name) {
    Map<String, Long> figures = new TreeMap<>();
    StoreFigure.read(StoreFigure.of(store.admin()), store.admin())
        .forEach((figure, value) -> figures.put(figure.name(), value.longValue()));
    return figures.getOrDefault(name, -1L);
  }

  /** Writes several times the maximum length of the log. */
  private Seen write(Store store) {
    Seen seen = new Seen();
    long begin = execution.nanoTime();
    for (int i = 1; i <= BLOCKS; i++) {
      long before = execution.nanoTime();
      ArchiveBoundsTest.block(store, i);
      if (i % BLOCKS_BETWEEN_CHECKPOINTS == 0) {
        store.admin().checkpoint();
      }
      seen.longestNanos = Math.max(seen.longestNanos, execution.nanoTime() - before);
      seen.mostLogBytes = Math.max(seen.mostLogBytes, ArchiveBoundsTest.logFileBytes(disk));
      if (store.admin().archive().isPresent()) {
        seen.mostLag = Math.max(seen.mostLag, figure(store, "archiveLag"));
      }
    }
    seen.allNanos = execution.nanoTime() - begin;
    return seen;
  }

  @Test
  void aMegabyteASecondSlowsNothingIsToldAndLeadsToAnotherBase() throws Exception {
    Seen without = new Seen();
    execution.run(
        () -> {
          try (Store store = Store.open(options(disk(3)))) {
            Seen seen = write(store);
            without.longestNanos = seen.longestNanos;
            without.allNanos = seen.allNanos;
          }
        });
    execution.run(
        () -> {
          Store store = Store.open(options(disk).withArchive(slow(MEGABYTE_PER_SECOND)));
          store.admin().updateArchive();
          Seen with = write(store);
          // Neither a commit nor a checkpoint has waited for a single piece of the archive.
          assertThat(with.longestNanos).isLessThan(2 * without.longestNanos);
          assertThat(with.allNanos).isLessThan(2 * without.allNanos);
          assertThat(with.mostLogBytes).isLessThan(MAX_LOG_BYTES);
          assertThat(with.mostLag).as("commits that the archive lacks").isPositive();
          assertThatThrownBy(() -> store.admin().updateArchive())
              .isInstanceOf(HowdahException.class)
              .hasMessageContaining("the log was reused before it was copied");
          ArchiveStatus caughtUp = store.admin().updateArchive();
          assertThat(caughtUp.gaps()).isPositive();
          assertThat(caughtUp.bases()).isGreaterThan(1);
          assertThat(caughtUp.restorable()).isTrue();
          assertThat(figure(store, "archiveLag")).isZero();
          ArchiveTest.put(store, 1, 77);
          long before = execution.nanoTime();
          store.close();
          assertThat(execution.nanoTime() - before).isLessThan(10 * SECOND);
        });
    assertThat(messages.next().getMessage())
        .contains("the archive falls behind", "the log was reused before it was copied");
    assertThat(messages.next().getMessage()).contains("is written again");
    List<ArchiveReport.Range> ranges = StoreArchives.list(ArchiveTest.archive(place)).ranges();
    assertThat(ranges).hasSizeGreaterThan(1);
    assertThat(ArchiveTest.restored(place, ArchiveMoment.latest()).get(1)).isEqualTo(77);
  }

  /** What a place takes in ten seconds is less than what it lacks. */
  @Test
  void aCloseWaitsTenSecondsForAPlaceThatIsTooSlow() throws Exception {
    execution.run(
        () -> {
          Store store = Store.open(options(disk).withArchive(slow(1000)));
          for (int i = 1; i <= BLOCKS_BETWEEN_CHECKPOINTS; i++) {
            ArchiveBoundsTest.block(store, i);
          }
          ArchiveTest.put(store, 1, 77);
          long before = execution.nanoTime();
          store.close();
          assertThat(execution.nanoTime() - before)
              .isGreaterThanOrEqualTo(10 * SECOND)
              .isLessThan(11 * SECOND);
        });
    assertThat(messages.next().getMessage()).contains("does not answer");
    execution.run(
        () -> {
          try (Store store = Store.open(options(disk).withRecoveryGoal(Duration.ofHours(1)))) {
            assertThat(
                    store.<Long, RuntimeException>read(
                        TxOptions.async(), tx -> tx.getLong(tx.root(0) + 8)))
                .isEqualTo(77);
          }
        });
  }
}
