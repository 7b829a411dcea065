package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.ForceNoteLayout;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.flush.ForceNote;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The end of a log is gone, and no ring tells of it. The force note names the last batch that was
 * forced, a summary of the log one that was forced before it, and a prepared segment has the next
 * sequence: every way into the store reports damage.
 */
@Timeout(60)
class LogEvidenceTest {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final int SEGMENTS = 9;

  private final HeldThreads threads = new HeldThreads();

  /** What has happened to a segment's file. */
  enum Damage {
    REMOVED,
    EMPTIED,
    ZEROED,
    ZEROED_BEHIND_THE_HEADER
  }

  /** A way into a store. */
  private enum Way {
    DEFAULT,
    READ_ONLY,
    RESIDENT,
    VERIFIED,
    CHECK,
    RESTORE
  }

  @AfterEach
  void end() {
    threads.end();
  }

  private static StoreOptions options() {
    return StoreOptions.defaults()
        .withMaxSize(1 << 18)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  /**
   * Kills a store with nine segments of commits that were acknowledged as durable, and takes its
   * rings away.
   */
  private SimulatedDisk killed(Consumer<SimulatedDisk> end) {
    SimulatedDisk disk = SimulatedDisk.builder(1).volatileBytes(1 << 26).build();
    Store store = Store.open(options().withStorage(disk.storage()).withExecution(threads));
    store.run(tx -> tx.root(0, tx.allocate(1 << 16)));
    long next = 1;
    while (used(disk).size() < SEGMENTS) {
      for (int i = 0; i < 20; i++) {
        put(store, next++, TxOptions.async());
      }
      put(store, next++, TxOptions.sync());
    }
    // Within the segment, so that the last batch of all is not the only one in it.
    for (int i = 0; i < 3; i++) {
      put(store, next++, TxOptions.sync());
    }
    // A segment is made ready by a thread of its own, behind the newest one.
    await(() -> isSummarised(disk) && !segments(disk, false).isEmpty());
    end.accept(disk);
    assertThatThrownBy(store::close).isNotNull();
    durable = next - 1;
    return disk;
  }

  private long durable;

  /** Returns whether a summary was written since the log went on to the newest segment. */
  private static boolean isSummarised(SimulatedDisk disk) {
    long newest = word(disk, used(disk).getLast(), SegmentLayout.SEQUENCE_OFFSET);
    for (int i = 0; i < 2; i++) {
      String name = "log/summary-" + i;
      if (disk.storage().exists(name)
          && disk.contents(name).length > LogSummaryLayout.MAP_OFFSET
          && word(disk, name, LogSummaryLayout.SEGMENT_OFFSET) == newest) {
        return true;
      }
    }
    return false;
  }

  private static long word(SimulatedDisk disk, String file, int offset) {
    return ByteBuffer.wrap(disk.contents(file)).order(ByteOrder.LITTLE_ENDIAN).getLong(offset);
  }

  private static void put(Store store, long value, TxOptions how) {
    store.run(
        how,
        tx -> {
          for (int i = 0; i < 64; i++) {
            tx.putLong(tx.root(0) + 1024L * i, value);
          }
        });
  }

  private static void await(BooleanSupplier condition) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      Thread.onSpinWait();
    }
  }

  /** Returns the segments that hold a batch, oldest first. */
  private static List<String> used(SimulatedDisk disk) {
    return segments(disk, true);
  }

  private static List<String> segments(SimulatedDisk disk, boolean isUsed) {
    TreeMap<Long, String> found = new TreeMap<>();
    for (String entry : disk.storage().list("log/0")) {
      if (!entry.endsWith(".seg")) {
        continue;
      }
      byte[] bytes = disk.contents("log/0/" + entry);
      ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      if (bytes.length > SegmentLayout.HEADER_LENGTH
          && (words.getLong(SegmentLayout.HEADER_LENGTH) != 0) == isUsed) {
        found.put(words.getLong(SegmentLayout.SEQUENCE_OFFSET), "log/0/" + entry);
      }
    }
    return List.copyOf(found.values());
  }

  private static void damage(SimulatedDisk disk, String file, Damage how) {
    byte[] bytes = disk.contents(file);
    switch (how) {
      case REMOVED -> disk.remove(file);
      case EMPTIED -> disk.truncate(file, 0);
      case ZEROED -> DamagedStores.write(disk, file, new byte[bytes.length]);
      case ZEROED_BEHIND_THE_HEADER -> {
        Arrays.fill(bytes, SegmentLayout.HEADER_LENGTH, bytes.length, (byte) 0);
        DamagedStores.write(disk, file, bytes);
      }
    }
  }

  /** Goes into a fork of a store; returns the newest value that it shows. */
  private static long newest(SimulatedDisk disk, Way way) {
    SimulatedDisk copy = disk.fork();
    StoreOptions options = options().withStorage(copy.storage());
    return switch (way) {
      case DEFAULT -> newest(options);
      case READ_ONLY -> newest(options.withReadOnly(true));
      case RESIDENT -> newest(options.withBacking(Backing.RESIDENT));
      case VERIFIED -> newest(options.withVerifyImage(true));
      case CHECK -> {
        StoreBackups.check(copy.storage(), options.execution());
        yield newest(options);
      }
      case RESTORE -> {
        SimulatedDisk target = SimulatedDisk.builder(2).volatileBytes(1 << 26).build();
        StoreBackups.restore(
            copy.storage(), target.storage(), OptionalLong.empty(), options.execution());
        yield newest(options.withStorage(target.storage()));
      }
    };
  }

  private static long newest(StoreOptions options) {
    try (Store store = Store.open(options)) {
      return store.read(tx -> tx.getLong(tx.root(0)));
    }
  }

  private void requireDamage(SimulatedDisk disk, String what) {
    for (Way way : Way.values()) {
      assertThatThrownBy(
              () -> {
                long newest = newest(disk, way);
                throw new AssertionError(newest + " of " + durable + " are left");
              })
          .as("%s, %s", what, way)
          .isInstanceOf(CorruptStoreException.class)
          .satisfies(e -> assertThat(((CorruptStoreException) e).file()).startsWith("log"));
    }
  }

  private void theEndOfALogIsMissed(Consumer<SimulatedDisk> end) {
    SimulatedDisk disk = killed(end);
    for (Way way : Way.values()) {
      assertThat(newest(disk, way)).as("%s", way).isEqualTo(durable);
    }
    List<String> used = used(disk);
    List<String> prepared = segments(disk, false);
    for (Damage how : Damage.values()) {
      for (int last = 1; last <= 5; last++) {
        for (boolean withPrepared : List.of(false, true)) {
          SimulatedDisk damaged = disk.fork();
          List<String> files = new ArrayList<>(used.subList(used.size() - last, used.size()));
          if (withPrepared) {
            files.addAll(prepared);
          }
          files.forEach(file -> damage(damaged, file, how));
          requireDamage(damaged, how + " " + files);
        }
      }
    }
  }

  @Test
  void theEndOfALogIsMissedAfterARingWasLost() {
    theEndOfALogIsMissed(SimulatedDisk::replaceContainer);
  }

  @Test
  void theEndOfALogIsMissedAfterAPowerCut() {
    theEndOfALogIsMissed(disk -> disk.powerCut(CrashChoice.KEEP_ALL));
  }

  /**
   * A copy deletes the summaries that came with it, but not before its log was compared with them.
   */
  @Test
  void theEndOfACopiedLogIsMissedEachTime() {
    SimulatedDisk disk = killed(SimulatedDisk::kill);
    SimulatedDisk copy = SimulatedDisk.builder(2).volatileBytes(1 << 26).build();
    copy(disk.storage(), copy.storage());
    for (Way way : Way.values()) {
      assertThat(newest(copy, way)).as("%s", way).isEqualTo(durable);
    }
    SimulatedDisk damaged = copy.fork();
    damage(damaged, used(copy).getLast(), Damage.ZEROED_BEHIND_THE_HEADER);
    requireDamage(damaged, "copy");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> newest(options().withStorage(damaged.storage())))
          .isInstanceOf(CorruptStoreException.class);
    }
    assertThat(newest(options().withStorage(copy.storage()))).isEqualTo(durable);
    assertThat(copy.storage().exists("log/summary-0")).isFalse();
  }

  private static void copy(Storage from, Storage to) {
    for (String directory : List.of("log", "log/0", "journal", "rings")) {
      to.createDirectory(directory);
    }
    for (String directory : List.of("", "log", "log/0", "journal")) {
      for (String entry : from.list(directory)) {
        String name = directory.isEmpty() ? entry : directory + "/" + entry;
        if (List.of("log", "log/0", "journal", "rings").contains(name)) {
          continue;
        }
        try (StagingMemory memory = new StagingMemory();
            StorageFile source = from.open(name, Storage.Access.READ);
            StorageFile target = to.create(name)) {
          ByteBuffer bytes = memory.allocate((int) source.sizeBytes());
          source.read(0, bytes);
          target.write(0, bytes.clear());
        }
      }
    }
  }

  /** Returns where the last batch of a segment begins, which is no longer than a page. */
  private static int lastPage(SimulatedDisk disk, String segment) {
    ByteBuffer words = ByteBuffer.wrap(disk.contents(segment)).order(ByteOrder.LITTLE_ENDIAN);
    int at = SegmentLayout.HEADER_LENGTH;
    while (words.getLong(at + BatchLayout.ALIGNMENT) != 0) {
      at += BatchLayout.ALIGNMENT;
    }
    return at;
  }

  private static void zeroFrom(SimulatedDisk disk, String file, int from) {
    byte[] bytes = disk.contents(file);
    Arrays.fill(bytes, from, bytes.length, (byte) 0);
    DamagedStores.write(disk, file, bytes);
  }

  /** A note whose slots a power cut has torn. */
  private static void emptyNote(SimulatedDisk disk) {
    byte[] bytes = disk.contents(ForceNote.NAME);
    Arrays.fill(bytes, ForceNoteLayout.EVEN_SLOT_OFFSET, bytes.length, (byte) 0);
    DamagedStores.write(disk, ForceNote.NAME, bytes);
  }

  /** What a process leaves that is killed as soon as its last commit has returned. */
  @Test
  void theVeryLastBatchIsMissedAfterAKill() {
    SimulatedDisk disk = killed(SimulatedDisk::replaceContainer);
    for (int i = 0; i < 2; i++) {
      disk.storage().delete("log/summary-" + i);
    }
    for (Way way : Way.values()) {
      assertThat(newest(disk, way)).as("%s", way).isEqualTo(durable);
    }
    String last = used(disk).getLast();
    for (int from : List.of(SegmentLayout.HEADER_LENGTH, lastPage(disk, last))) {
      SimulatedDisk damaged = disk.fork();
      zeroFrom(damaged, last, from);
      requireDamage(damaged, "zeroed from " + from);
    }
  }

  /** The note of a log that has come to rest is forced, so it survives a power cut, too. */
  @Test
  void theVeryLastBatchIsMissedAfterAPowerCutOfAStoreAtRest() {
    SimulatedDisk disk =
        killed(
            open -> {
              byte[] note = open.contents(ForceNote.NAME);
              await(
                  () -> {
                    SimulatedDisk cut = open.fork();
                    cut.powerCut(CrashChoice.LOSE_ALL);
                    return Arrays.equals(cut.contents(ForceNote.NAME), note);
                  });
              open.powerCut(CrashChoice.LOSE_ALL);
            });
    for (Way way : Way.values()) {
      assertThat(newest(disk, way)).as("%s", way).isEqualTo(durable);
    }
    String last = used(disk).getLast();
    zeroFrom(disk, last, lastPage(disk, last));
    requireDamage(disk, "power cut");
  }

  /** Who damages the end of the log and the note leaves no trace but the missing note. */
  @Test
  void aMissingForceNoteIsDamageUnlessTheRingsAreThere() {
    SimulatedDisk disk = killed(SimulatedDisk::replaceContainer);
    for (Damage how : List.of(Damage.REMOVED, Damage.EMPTIED, Damage.ZEROED)) {
      SimulatedDisk damaged = disk.fork();
      damage(damaged, ForceNote.NAME, how);
      requireDamage(damaged, "note " + how);
      zeroFrom(damaged, used(disk).getLast(), SegmentLayout.HEADER_LENGTH);
      requireDamage(damaged, "note and log " + how);
    }
    SimulatedDisk withRings = killed(SimulatedDisk::kill);
    for (Damage how : List.of(Damage.REMOVED, Damage.EMPTIED, Damage.ZEROED)) {
      SimulatedDisk damaged = withRings.fork();
      damage(damaged, ForceNote.NAME, how);
      for (Way way : Way.values()) {
        if (way != Way.RESTORE) {
          assertThat(newest(damaged, way)).as("%s, %s", how, way).isEqualTo(durable);
        }
      }
      assertThat(newest(options().withStorage(damaged.storage()))).isEqualTo(durable);
      assertThat(damaged.contents(ForceNote.NAME)).hasSize(ForceNoteLayout.LENGTH);
    }
  }

  /**
   * A note that cannot be read is needed only if the rings are gone. Otherwise the opening makes a
   * new one.
   */
  @Test
  void anUnreadableForceNoteIsReplacedUnlessItIsNeeded() {
    SimulatedDisk closed = SimulatedDisk.builder(1).volatileBytes(1 << 26).build();
    try (Store store = Store.open(options().withStorage(closed.storage()))) {
      store.run(tx -> tx.root(0, tx.allocate(1 << 16)));
      put(store, 7, TxOptions.sync());
    }
    for (SimulatedDisk disk : List.of(closed, killed(SimulatedDisk::kill).fork())) {
      long expected = disk == closed ? 7 : durable;
      disk.inject(Fault.onNth(Operation.READ, 1).in(ForceNote.NAME).forEver());
      assertThat(newest(options().withStorage(disk.storage()))).isEqualTo(expected);
      disk.clearFaults();
      assertThat(disk.contents(ForceNote.NAME)).hasSize(ForceNoteLayout.LENGTH);
      assertThat(newest(options().withStorage(disk.storage()))).isEqualTo(expected);
    }
    SimulatedDisk needed = killed(SimulatedDisk::replaceContainer).fork();
    byte[] note = needed.contents(ForceNote.NAME);
    needed.inject(Fault.onNth(Operation.READ, 1).in(ForceNote.NAME).forEver());
    assertThatThrownBy(() -> newest(options().withStorage(needed.storage())))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(ForceNote.NAME);
    needed.clearFaults();
    assertThat(needed.contents(ForceNote.NAME)).isEqualTo(note);
    assertThat(newest(options().withStorage(needed.storage()))).isEqualTo(durable);
  }

  /** Without note and summaries the sequence of the segment behind tells of one that is gone. */
  @ParameterizedTest
  @EnumSource(
      value = Damage.class,
      names = {"REMOVED", "EMPTIED", "ZEROED"})
  void aGapInTheSegmentsIsDamage(Damage how) {
    SimulatedDisk disk = killed(SimulatedDisk::replaceContainer);
    for (int i = 0; i < 2; i++) {
      disk.storage().delete("log/summary-" + i);
    }
    emptyNote(disk);
    for (Way way : Way.values()) {
      assertThat(newest(disk, way)).as("%s", way).isEqualTo(durable);
    }
    List<String> used = used(disk);
    assertThat(segments(disk, false)).isNotEmpty();
    for (int last = 1; last <= 5; last++) {
      SimulatedDisk damaged = disk.fork();
      used.subList(used.size() - last, used.size()).forEach(file -> damage(damaged, file, how));
      requireDamage(damaged, how + " " + last);
    }
  }

  /**
   * The rings that are left say how far the log was forced, though their records do not count. The
   * commits of one thread go through the ring of its home lane, unless that is full, so only one of
   * the two rings needs to have the proof.
   */
  @Test
  void aRingThatIsLeftTellsOfTheEndOfTheLog() {
    SimulatedDisk disk = killed(SimulatedDisk::kill);
    for (int i = 0; i < 2; i++) {
      disk.storage().delete("log/summary-" + i);
    }
    emptyNote(disk);
    List<String> refusals = new ArrayList<>();
    for (String lost : List.of("0", "1")) {
      SimulatedDisk left = disk.fork();
      try (SuperblockFile superblock = SuperblockFile.open(left.storage())) {
        RingPlacement.VolatilePlace rings =
            (RingPlacement.VolatilePlace) superblock.current().rings();
        left.storage().volatilePlace(rings.name(), false, 0).orElseThrow().delete(lost);
      }
      assertThat(newest(left, Way.DEFAULT)).isEqualTo(durable);
      damage(left, used(left).getLast(), Damage.ZEROED_BEHIND_THE_HEADER);
      for (Way way : Way.values()) {
        if (way != Way.RESTORE) {
          try {
            newest(left, way);
          } catch (CorruptStoreException e) {
            assertThat(e).hasMessageContaining("was forced up to position");
            refusals.add(lost + " " + way);
          }
        }
      }
    }
    int ways = Way.values().length - 1;
    assertThat(refusals).hasSizeGreaterThanOrEqualTo(ways);
    assertThat(refusals.stream().collect(Collectors.groupingBy(r -> r.charAt(0))))
        .as("an opening and a check agree")
        .allSatisfy((_, of) -> assertThat(of).hasSize(ways));
  }

  /** The files are put back to an earlier state, but for the summaries. */
  @Test
  void anOlderLogBesideItsSummariesIsDamageUntilTheRollbackIsAccepted() {
    SimulatedDisk disk = killed(SimulatedDisk::replaceContainer);
    String last = used(disk).getLast();
    damage(disk, last, Damage.ZEROED_BEHIND_THE_HEADER);
    requireDamage(disk, "older log");
    Storage storage = disk.storage();
    StoreBackups.acceptRollback(storage, options().execution());
    for (int i = 0; i < 2; i++) {
      assertThat(storage.exists("log/summary-" + i)).isFalse();
    }
    assertThat(storage.exists(ForceNote.NAME)).isFalse();
    long left = newest(options().withStorage(storage));
    assertThat(left).isPositive().isLessThan(durable);
  }
}
