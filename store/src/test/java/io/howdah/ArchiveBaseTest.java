package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Bases that are copied beside commits and checkpoints, and what counts of an archive. */
final class ArchiveBaseTest {

  private static final int BLOCK_BYTES = 1 << 20;

  private final SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
  private final SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
  private final AtomicReference<Consumer<String>> before = new AtomicReference<>(_ -> {});
  private final StoreOptions options =
      ArchiveTest.OPTIONS.withMaxSize(8 << 20).withRingBytes(1 << 20);

  private Archive archive() {
    return Archive.to(
        () ->
            new FaultyTarget(
                ArchiveTarget.over(place.storage()),
                method -> Objects.requireNonNull(before.get()).accept(method)),
        Duration.ofHours(1));
  }

  /** Writes the first and the last word of a block that is longer than a slice of a base. */
  private static long write(Store store, long value) {
    return store.run(
        TxOptions.sync(),
        tx -> {
          if (tx.root(2) == 0) {
            tx.root(2, tx.allocate(3 * BLOCK_BYTES));
            for (int at = 0; at < 3 * BLOCK_BYTES; at += 4096) {
              tx.putLong(tx.root(2) + at, 1);
            }
          }
          for (int at = 0; at < 3 * BLOCK_BYTES; at += BLOCK_BYTES) {
            tx.putLong(tx.root(2) + at, value);
          }
        });
  }

  private List<Long> restored(long lsn) {
    SimulatedDisk target = SimulatedDisk.seeded(3);
    StoreArchives.restore(
        ArchiveTest.archive(place), target::storage, ArchiveMoment.atLsn(lsn), Execution.system());
    try (Store store = Store.open(options.withStorage(target.storage()))) {
      return store.read(
          tx ->
              List.of(
                  tx.getLong(tx.root(2)),
                  tx.getLong(tx.root(2) + BLOCK_BYTES),
                  tx.getLong(tx.root(2) + 2 * BLOCK_BYTES)));
    }
  }

  /** Slices of one base are of several checkpoints. */
  @Test
  void pagesOfSeveralCheckpointsAreOneStateWithTheLog() {
    try (Store store = Store.open(options.withStorage(disk.storage()))) {
      write(store, 10);
      AtomicInteger appends = new AtomicInteger();
      long[] lsns = new long[40];
      before.set(
          method -> {
            int count = method.startsWith("append") ? appends.incrementAndGet() : lsns.length;
            if (count < lsns.length) {
              lsns[count] = write(store, 100 + count);
              if (count % 3 == 0) {
                store.admin().checkpoint();
              }
            }
          });
      store.admin().startArchive(archive());
      store.admin().updateArchive();
      before.set(_ -> {});
      assertThat(appends.get()).as("objects in several slices").isGreaterThan(10);
      ArchiveReport.Range range =
          StoreArchives.list(ArchiveTest.archive(place)).ranges().getFirst();
      int judged = 0;
      for (int i = 1; i < lsns.length && lsns[i] > 0; i++) {
        if (range.fromLsn() <= lsns[i] && lsns[i] <= range.lsn()) {
          long value = 100L + i;
          assertThat(restored(lsns[i])).as("LSN %d", lsns[i]).containsExactly(value, value, value);
          judged++;
        }
      }
      assertThat(judged).isPositive();
    }
  }

  /** The pages of a base may have effects of commits whose log is not in the archive yet. */
  @Test
  void aBaseDoesNotCountBeforeItsLog() {
    AtomicBoolean isAway = new AtomicBoolean();
    List<String> ofBase = Collections.synchronizedList(new ArrayList<>());
    String state = " " + SuperblockLayout.SLOT_LENGTH;
    try (Store store = Store.open(options.withStorage(disk.storage()))) {
      write(store, 10);
      long[] last = new long[1];
      before.set(
          call -> {
            if (isAway.get()) {
              throw new StorageException(StorageException.Reason.IO, "reach the archive", null);
            }
            if (!call.contains(".base.")) {
              return;
            }
            ofBase.add(call);
            boolean isForce = call.startsWith("force");
            long states = ofBase.stream().filter(done -> done.endsWith(state)).count();
            if (isForce && last[0] == 0) {
              last[0] = write(store, 20); // within the base, and into its later pages
              store.admin().checkpoint();
            } else if (isForce && states == 2) {
              isAway.set(true); // after this force, of the end
            }
          });
      store.admin().startArchive(archive());
      assertThatThrownBy(() -> store.admin().updateArchive())
          .hasMessageContaining("reach the archive");
      assertThat(store.admin().archive().orElseThrow().restorable()).isFalse();
      assertThat(StoreArchives.list(ArchiveTest.archive(place)).ranges()).isEmpty();
      assertThatThrownBy(() -> restored(last[0]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no base with its log");
      // The pages are forced before the end, of two parts, is appended.
      assertThat(ofBase.get(ofBase.size() - 1)).startsWith("force");
      assertThat(ofBase.get(ofBase.size() - 4)).startsWith("force");
      before.set(_ -> {});
      isAway.set(false);
      store.admin().updateArchive();
      assertThat(restored(last[0])).containsExactly(20L, 20L, 20L);
    }
  }

  /** A commit that no force covers yet is in no range. */
  @Test
  void anUnforcedCommitIsNotArchived() throws InterruptedException {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch isStuck = new CountDownLatch(1);
    AtomicBoolean sticks = new AtomicBoolean();
    Storage storage =
        Watched.port(
            Storage.class,
            disk.storage(),
            method -> {
              if (method.equals("force")
                  && sticks.get()
                  && Thread.currentThread().getName().equals("howdah-flusher")) {
                isStuck.countDown();
                goOn.await();
              }
            });
    try (Store store = Store.open(options.withStorage(storage).withArchive(archive()))) {
      long forced = write(store, 10);
      store.admin().updateArchive();
      sticks.set(true);
      store.run(TxOptions.async(), tx -> tx.putLong(tx.root(2), 11));
      try {
        isStuck.await();
        assertThat(store.admin().updateArchive().lsn()).isEqualTo(forced);
        assertThat(StoreArchives.list(ArchiveTest.archive(place)).ranges().getFirst().lsn())
            .isEqualTo(forced);
      } finally {
        sticks.set(false);
        goOn.countDown(); // otherwise the close would wait for ever
      }
    }
  }

  /** Bytes before the last mark that a power cut at the place has not kept, for example. */
  @Test
  void theLastMarkCountsOnlyWithAllBeforeIt() {
    long first;
    try (Store store = Store.open(options.withStorage(disk.storage()).withArchive(archive()))) {
      first = write(store, 10);
      store.admin().updateArchive();
      write(store, 11);
      store.admin().updateArchive();
    }
    String log =
        place.storage().list("").stream()
            .filter(name -> name.contains(".log."))
            .findFirst()
            .orElseThrow();
    int length = place.contents(log).length;
    // Within the content of the last frame but the mark.
    place.flipBit(log, length - 600, 1);
    ArchiveReport report = StoreArchives.list(ArchiveTest.archive(place));
    assertThat(report.ranges().getFirst().lsn()).isEqualTo(first);
    assertThat(report.remarks()).hasSize(1);
    assertThat(report.remarks().getFirst()).contains(log).contains("wrong checksum");
    assertThat(restored(first)).containsExactly(10L, 10L, 10L);
    assertThat(StoreArchives.verify(ArchiveTest.archive(place)).damages())
        .as("of what counts")
        .isEmpty();
  }

  /** Damage anywhere gives the right state, a shorter range, or an error that names the place. */
  @Test
  void damageIsNamed() {
    long[] lsns = new long[4];
    try (Store store = Store.open(options.withStorage(disk.storage()).withArchive(archive()))) {
      for (int i = 0; i < lsns.length; i++) {
        lsns[i] = write(store, 10 + i);
        store.admin().updateArchive();
      }
    }
    List<String> objects = place.storage().list("");
    SimulatedDisk whole = place.fork();
    whole.kill();
    for (String object : objects) {
      int length = whole.contents(object).length;
      for (int at = 3; at < length; at += Math.max(1, length / 5)) {
        SimulatedDisk damaged = whole.fork();
        damaged.kill();
        damaged.flipBit(object, at, at % 8);
        judge(damaged, object, at, lsns);
        SimulatedDisk cut = whole.fork();
        cut.kill();
        cut.truncate(object, at);
        judge(cut, object, at, lsns);
      }
      SimulatedDisk without = whole.fork();
      without.kill();
      without.remove(object);
      judge(without, object, -1, lsns);
    }
  }

  private void judge(SimulatedDisk damaged, String object, int at, long[] lsns) {
    for (int i = 0; i < lsns.length; i++) {
      SimulatedDisk target = SimulatedDisk.seeded(3);
      long lsn = lsns[i];
      try {
        StoreArchives.restore(
            ArchiveTest.archive(damaged),
            target::storage,
            ArchiveMoment.atLsn(lsn),
            Execution.system());
      } catch (CorruptStoreException e) {
        assertThat(e.file()).as("damage of %s at %d: %s", object, at, e).isEqualTo(object);
        assertThat(target.storage().list("")).isEmpty();
        continue;
      } catch (IllegalArgumentException | io.howdah.core.UnsupportedStoreException e) {
        assertThat(e).hasMessageContainingAll("simulated disk");
        continue;
      }
      try (Store store = Store.open(options.withStorage(target.storage()))) {
        long value = 10L + i;
        long read = store.read(tx -> tx.getLong(tx.root(2) + BLOCK_BYTES));
        assertThat(read).as("damage of %s at %d, LSN %d", object, at, lsn).isEqualTo(value);
      }
    }
  }
}
