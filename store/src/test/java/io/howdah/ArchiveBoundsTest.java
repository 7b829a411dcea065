package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives whose place is away, full, read-only or slow: what the store holds for them. */
final class ArchiveBoundsTest {

  private static final long MAX_LOG_BYTES = 1 << 20;
  private static final int BLOCK_BYTES = 16 << 10;

  private static final StoreOptions OPTIONS = ArchiveTest.OPTIONS.withMaxLogBytes(MAX_LOG_BYTES);

  private final SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
  private final SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
  private final AtomicReference<Consumer<String>> before = new AtomicReference<>(_ -> {});

  private Store open() {
    return Store.open(
        OPTIONS
            .withStorage(disk.storage())
            .withArchive(
                Archive.to(
                    () ->
                        new FaultyTarget(
                            ArchiveTarget.over(place.storage()),
                            method -> Objects.requireNonNull(before.get()).accept(method)),
                    Duration.ofHours(1))));
  }

  /** Writes as much log as a block has, to the same words each time. */
  static void block(Store store, long value) {
    store.run(
        TxOptions.sync(),
        tx -> {
          if (tx.root(1) == 0) {
            tx.root(1, tx.allocate(BLOCK_BYTES));
          }
          for (int at = 0; at < BLOCK_BYTES; at += 8) {
            tx.putLong(tx.root(1) + at, value);
          }
        });
  }

  static long logFileBytes(SimulatedDisk disk) {
    long bytes = 0;
    for (String name : disk.storage().list("log/0")) {
      try {
        bytes += disk.contents("log/0/" + name).length;
      } catch (IllegalArgumentException e) {
        // The store has renamed a segment that it has finished, or removed one, since the list.
        return logFileBytes(disk);
      }
    }
    return bytes;
  }

  private static StorageException away() {
    return new StorageException(StorageException.Reason.IO, "reach the archive", null);
  }

  /** A segment that no checkpoint needs is kept until the archive has it. */
  @Test
  void trimmingWaitsForTheArchive() {
    try (Store store = open()) {
      ArchiveTest.put(store, 1, 1);
      store.admin().updateArchive();
      for (int i = 0; i < 10; i++) { // less than a quarter of the log's greatest length
        block(store, i);
        store.admin().checkpoint();
      }
      ArchiveTest.put(store, 2, 2);
      ArchiveStatus status = store.admin().updateArchive();
      assertThat(status.gaps()).isZero();
    }
    List<ArchiveReport.Range> ranges = StoreArchives.list(ArchiveTest.archive(place)).ranges();
    assertThat(ranges).hasSize(1);
    for (long lsn = ranges.getFirst().fromLsn(); lsn <= ranges.getFirst().lsn(); lsn++) {
      assertThat(ArchiveTest.restored(place, ArchiveMoment.atLsn(lsn))).isNotNull();
    }
  }

  @Test
  void anArchiveThatIsAwayHoldsNoMoreThanAQuarterOfTheLog() {
    AtomicBoolean isAway = new AtomicBoolean();
    before.set(
        _ -> {
          if (isAway.get()) {
            throw away();
          }
        });
    long most = 0;
    try (Store store = open()) {
      ArchiveTest.put(store, 1, 1);
      store.admin().updateArchive();
      long first = store.admin().archive().orElseThrow().lsn();
      isAway.set(true);
      for (int i = 0; i < 300; i++) { // several times the log's greatest length
        block(store, i);
        store.admin().checkpoint();
        most = Math.max(most, logFileBytes(disk));
      }
      assertThatThrownBy(() -> store.admin().updateArchive())
          .message()
          .containsAnyOf("log was reused", "reach the archive"); // of a retry meanwhile
      assertThatThrownBy(() -> store.admin().updateArchive())
          .hasMessageContaining("reach the archive");
      ArchiveStatus behind = store.admin().archive().orElseThrow();
      assertThat(behind.lsn()).isEqualTo(first);
      assertThat(behind.restorable()).isFalse();
      assertThat(behind.failedAttempts()).isGreaterThanOrEqualTo(2);
      isAway.set(false);
      ArchiveTest.put(store, 2, 2);
      ArchiveStatus again = store.admin().updateArchive();
      assertThat(again.gaps()).isEqualTo(1);
      assertThat(again.restorable()).isTrue();
      assertThat(again.problem()).isEmpty();
    }
    assertThat(most).as("bytes of segments").isLessThan(MAX_LOG_BYTES);
    List<ArchiveReport.Range> ranges = StoreArchives.list(ArchiveTest.archive(place)).ranges();
    assertThat(ranges).hasSize(2);
    assertThat(ArchiveTest.restored(place, ArchiveMoment.latest()).get(2)).isEqualTo(2);
    assertThatThrownBy(
            () -> ArchiveTest.restored(place, ArchiveMoment.atLsn(ranges.getFirst().lsn() + 1)))
        .hasMessageContaining("only from LSN");
  }

  @Test
  void aFullPlaceIsTriedAgain() {
    try (Store store = open()) {
      ArchiveTest.put(store, 1, 1);
      store.admin().updateArchive();
      place.setFreeBytes(0);
      long lsn = ArchiveTest.put(store, 2, 2);
      assertThatThrownBy(() -> store.admin().updateArchive()).hasMessageContaining("no space left");
      assertThat(store.admin().archive().orElseThrow().problem().orElseThrow())
          .contains("no space left");
      ArchiveTest.put(store, 3, 3);
      place.setFreeBytes(1 << 20);
      assertThat(store.admin().updateArchive().lsn()).isGreaterThan(lsn);
    }
    assertThat(StoreArchives.list(ArchiveTest.archive(place)).ranges()).hasSize(1);
    List<Long> words = ArchiveTest.restored(place, ArchiveMoment.latest());
    assertThat(words.subList(1, 4)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void aPlaceThatCannotBeWrittenIsTold() {
    place.setReadOnly(true);
    try (Store store = open()) {
      ArchiveTest.put(store, 1, 1);
      assertThatThrownBy(() -> store.admin().updateArchive()).hasMessageContaining("access denied");
      block(store, 1);
      store.admin().checkpoint();
      assertThat(store.admin().archive().orElseThrow().restorable()).isFalse();
    }
  }

  /** A place that does not answer at all keeps no commit, no checkpoint and no close for long. */
  @Test
  void aPlaceThatDoesNotAnswerStopsNothing() throws InterruptedException {
    CountDownLatch answer = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    AtomicBoolean isStuck = new AtomicBoolean();
    before.set(
        _ -> {
          if (isStuck.get()) {
            asked.countDown();
            awaitUninterruptibly(answer);
          }
        });
    Store store = open();
    ArchiveTest.put(store, 1, 1);
    store.admin().updateArchive();
    isStuck.set(true);
    ArchiveTest.put(store, 2, 2);
    Thread updating = Thread.ofPlatform().start(() -> updateQuietly(store));
    asked.await();
    for (int i = 0; i < 200; i++) {
      block(store, i);
      store.admin().checkpoint();
    }
    assertThat(logFileBytes(disk)).isLessThan(MAX_LOG_BYTES);
    answer.countDown();
    updating.join();
    store.close();
    try (Store again = Store.open(OPTIONS.withStorage(disk.storage()))) {
      assertThat(ArchiveTest.words(again).subList(1, 3)).containsExactly(1L, 2L);
    }
  }

  /** The system, with a clock of monotonic time that a test moves on. */
  private static final class Ahead extends ForwardingSystem {
    final AtomicLong nanos = new AtomicLong();

    @Override
    public long nanoTime() {
      return super.nanoTime() + nanos.get();
    }
  }

  /** Ends calls of an archive, of whose thread it is then known that it has ended. */
  private final class Stuck {
    final CountDownLatch asked = new CountDownLatch(1);
    final CountDownLatch answer = new CountDownLatch(1);
    final CountDownLatch ended = new CountDownLatch(1);
    final String call;

    Stuck(String call) {
      this.call = call;
    }

    Archive archive() {
      return Archive.to(
          () ->
              new FaultyTarget(
                  ArchiveTarget.over(place.storage()),
                  made -> {
                    if (made.startsWith(call)) {
                      asked.countDown();
                      awaitUninterruptibly(answer);
                    } else if (made.equals("close")) {
                      ended.countDown();
                    }
                  }),
          Duration.ofHours(1));
    }
  }

  /** Runs an action that waits for time, which passes meanwhile. */
  private static void whileTimePasses(Ahead time, Runnable action) throws InterruptedException {
    Thread waiting = Thread.ofPlatform().start(action);
    while (waiting.isAlive()) {
      time.nanos.addAndGet(1_000_000_000);
      waiting.join(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"list", "append", "force", "put"})
  void aCloseWaitsTenSecondsForAPlaceThatDoesNotAnswer(String call) throws InterruptedException {
    Ahead time = new Ahead();
    Stuck stuck = new Stuck(call);
    Store store =
        Store.open(
            OPTIONS.withExecution(time).withStorage(disk.storage()).withArchive(stuck.archive()));
    stuck.asked.await();
    ArchiveTest.put(store, 1, 1);
    whileTimePasses(time, store::close);
    try (Store again = Store.open(OPTIONS.withStorage(disk.storage()))) {
      ArchiveTest.put(again, 2, 2);
      stuck.answer.countDown(); // the thread goes on, and must not touch the store
      stuck.ended.await();
      ArchiveTest.put(again, 3, 3);
      again.admin().checkpoint();
      assertThat(ArchiveTest.words(again).subList(1, 4)).containsExactly(1L, 2L, 3L);
    }
  }

  /** A stop gives up an archive whose place does not answer. Later it answers. */
  @ParameterizedTest
  @ValueSource(strings = {"list", "append", "force", "put"})
  void anArchiveThatWasGivenUpDoesNotDisturbTheNext(String call) throws InterruptedException {
    Ahead time = new Ahead();
    Stuck stuck = new Stuck(call);
    SimulatedDisk second = SimulatedDisk.builder(4).unit(CrashUnit.SECTOR).build();
    try (Store store =
        Store.open(
            OPTIONS.withExecution(time).withStorage(disk.storage()).withArchive(stuck.archive()))) {
      stuck.asked.await();
      ArchiveTest.put(store, 1, 1);
      whileTimePasses(time, () -> store.admin().stopArchive());
      store.admin().startArchive(ArchiveTest.archive(second));
      store.admin().updateArchive();
      for (int i = 0; i < 4; i++) {
        block(store, i);
        store.admin().checkpoint();
      }
      stuck.answer.countDown();
      stuck.ended.await();
      for (int i = 0; i < 4; i++) {
        block(store, i);
        store.admin().checkpoint();
      }
      assertThat(store.admin().updateArchive().gaps()).isZero();
    }
    List<ArchiveReport.Range> ranges = StoreArchives.list(ArchiveTest.archive(second)).ranges();
    assertThat(ranges).hasSize(1);
    assertThat(ArchiveTest.restored(second, ArchiveMoment.latest()).get(1)).isEqualTo(1);
  }

  private static void updateQuietly(Store store) {
    try {
      store.admin().updateArchive();
    } catch (RuntimeException e) {
      // It has lost track meanwhile.
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
