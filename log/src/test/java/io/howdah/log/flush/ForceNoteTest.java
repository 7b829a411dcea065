package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Execution;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ForceNoteLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Ring;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What the force note says after every crash, against what the log has. */
class ForceNoteTest {

  private static final long GENERATION = 7;
  private static final LogStart NEW =
      new LogStart(11, 12, GENERATION, 0, 1, List.of(), List.of(), 0);
  private static final int BATCHES = 5;
  private static final int STATES = 200;
  private static final long MILLISECOND = 1_000_000;

  private static SimulatedDisk disk() {
    SimulatedDisk disk = SimulatedDisk.seeded(5);
    disk.storage().createDirectory("log");
    disk.storage().createDirectory("log/0");
    disk.storage().forceDirectory("");
    disk.storage().forceDirectory("log");
    return disk;
  }

  /** A log of one segment, with its note. */
  private static final class Log implements AutoCloseable {
    private final ForceNote note;
    private final SegmentTarget target;
    private final BatchWriter batches;
    private final Ring ring =
        new Ring(
            Regions.anonymous(RingLayout.HEADER_LENGTH + (long) RingLayout.MIN_CAPACITY),
            0,
            RingLayout.MIN_CAPACITY);
    private long position;

    Log(Storage storage, Execution execution) {
      note = ForceNote.open(storage, NEW, execution);
      Segment first =
          new SegmentFactory(
                  storage, NEW, SegmentLayout.MIN_LENGTH, 1 << 20, SegmentLayout.MAX_LENGTH)
              .next();
      target =
          new SegmentTarget(
              first,
              new SegmentHistory(1, 0),
              note::note,
              Unwaited::noFurtherSegment,
              storage.describe());
      batches = new BatchWriter(NEW, target, 1, 1 << 16);
    }

    void batch() {
      batches.begin();
      batches.section(ring, position, position + 64);
      position += 64;
      batches.write(0, 0, 0, Unwaited.INSTANCE);
    }

    @Override
    public void close() {
      target.close();
      note.close();
    }
  }

  @Test
  void aNoteWhoseCreationWasKilledIsDurableOnceAnOpeningHasIt() {
    for (int n = 1; n <= 12; n++) {
      SimulatedDisk disk = disk();
      disk.crashAtOperation(disk.operations() + n, CrashMoment.AFTER);
      boolean hasDied = !openAndClose(disk);
      assertThat(hasDied).isEqualTo(disk.hasCrashed());
      disk.kill();
      ForceNote.open(disk.storage(), NEW, Execution.system()).close();
      disk.powerCut(CrashChoice.LOSE_ALL);
      assertThat(NotedForce.readAll(disk.storage(), 11, 12)).as("operation %d", n).isPresent();
    }
  }

  private static boolean openAndClose(SimulatedDisk disk) {
    try {
      ForceNote.open(disk.storage(), NEW, Execution.system()).close();
      return true;
    } catch (SimulatedCrash e) {
      return false;
    }
  }

  private static List<NotedForce> noted(SimulatedDisk disk) {
    return NotedForce.readAll(disk.storage(), 11, 12).orElse(List.of());
  }

  private static OptionalLong newest(SimulatedDisk disk) {
    return noted(disk).stream().mapToLong(found -> found.batch().sequence()).max();
  }

  /** Returns the whole batches of the segment, by their order. */
  private static List<BatchId> batches(SimulatedDisk disk) {
    List<BatchId> found = new ArrayList<>();
    String name = SegmentNames.name(0);
    if (disk.storage().exists(name)) {
      ByteBuffer bytes = ByteBuffer.wrap(disk.contents(name)).order(ByteOrder.LITTLE_ENDIAN);
      for (int at = SegmentLayout.HEADER_LENGTH;
          at < bytes.capacity() && bytes.getLong(at) == BatchLayout.MAGIC;
          at += BatchLayout.ALIGNMENT) {
        int crc = bytes.getInt(at + BatchLayout.CRC_OFFSET);
        int length = bytes.getInt(at + BatchLayout.LENGTH_OFFSET);
        if (Crc32c.around(bytes, at, BatchLayout.CRC_OFFSET, length) != crc) {
          break;
        }
        found.add(new BatchId(bytes.getLong(at + BatchLayout.SEQUENCE_OFFSET), crc));
      }
    }
    return found;
  }

  /** Runs until the disk crashes; returns how many batches were acknowledged. */
  private static int run(SimulatedDisk disk) {
    int done = 0;
    try (Log log = new Log(disk.storage(), new ManualExecution())) {
      while (done < BATCHES) {
        log.batch();
        done++;
      }
      log.note.forceIfDue();
      log.note.forceIfDue();
    } catch (SimulatedCrash e) {
      return done;
    }
    return done;
  }

  private static void requireTrue(SimulatedDisk disk, String when) {
    List<BatchId> batches = batches(disk);
    for (NotedForce noted : noted(disk)) {
      assertThat(noted.generation()).as(when).isEqualTo(GENERATION);
      assertThat(batches).as(when).contains(noted.batch());
    }
  }

  private static void requireAfter(SimulatedDisk crashed, int acknowledged, String when) {
    SimulatedDisk killed = crashed.fork();
    killed.kill();
    requireTrue(killed, when + ", killed");
    assertThat(newest(killed).orElse(0))
        .as("%s, killed", when)
        .isGreaterThanOrEqualTo(acknowledged);
    List<CrashChoice> choices = new ArrayList<>();
    choices.add(CrashChoice.LOSE_ALL);
    choices.add(CrashChoice.KEEP_ALL);
    choices.addAll(crashed.crashStates().choices(STATES));
    for (CrashChoice choice : choices) {
      SimulatedDisk cut = crashed.fork();
      cut.powerCut(choice);
      requireTrue(cut, when + ", power cut " + choice);
    }
  }

  @Test
  void aNoteNamesForcedBatchesAfterEachCrash() {
    SimulatedDisk whole = disk();
    long before = whole.operations();
    assertThat(run(whole)).isEqualTo(BATCHES);
    assertThat(newest(whole)).hasValue(BATCHES);
    assertThat(batches(whole)).hasSize(BATCHES);
    long operations = whole.operations();
    long stores = whole.stores();
    assertThat(stores).isGreaterThanOrEqualTo(BATCHES * 3L);
    for (CrashMoment moment : CrashMoment.values()) {
      for (long n = before + 1; n <= operations; n++) {
        SimulatedDisk disk = disk();
        disk.crashAtOperation(n, moment);
        requireAfter(disk, run(disk), "operation " + n + " " + moment);
      }
      for (long n = 1; n <= stores; n++) {
        SimulatedDisk disk = disk();
        disk.crashAtStore(n, moment);
        int acknowledged = run(disk);
        assertThat(acknowledged).isLessThan(BATCHES);
        requireAfter(disk, acknowledged, "store " + n + " " + moment);
      }
    }
  }

  @Test
  void theNoteIsForcedWhenTheLogComesToRestAndOnceInASecond() {
    SimulatedDisk disk = disk();
    ManualExecution execution = new ManualExecution();
    try (Log log = new Log(disk.storage(), execution)) {
      long forces = disk.operations(Operation.FORCE);
      log.note.forceIfDue();
      assertThat(disk.operations(Operation.FORCE)).as("nothing noted").isEqualTo(forces);
      // A busy log: one batch between two calls.
      for (int i = 0; i < 9; i++) {
        log.batch();
        execution.nanos += 100 * MILLISECOND;
        log.note.forceIfDue();
      }
      assertThat(disk.operations(Operation.FORCE)).isEqualTo(forces + 9);
      log.batch();
      execution.nanos += 100 * MILLISECOND;
      log.note.forceIfDue();
      assertThat(disk.operations(Operation.FORCE)).as("a second").isEqualTo(forces + 11);
      log.batch();
      execution.nanos += 100 * MILLISECOND;
      log.note.forceIfDue();
      assertThat(disk.operations(Operation.FORCE)).isEqualTo(forces + 12);
      log.note.forceIfDue();
      assertThat(disk.operations(Operation.FORCE)).as("at rest").isEqualTo(forces + 13);
      for (int i = 0; i < 30; i++) {
        execution.nanos += 100 * MILLISECOND;
        log.note.forceIfDue();
      }
      assertThat(disk.operations(Operation.FORCE)).as("nothing new").isEqualTo(forces + 13);
      SimulatedDisk cut = disk.fork();
      cut.powerCut(CrashChoice.LOSE_ALL);
      assertThat(newest(cut)).hasValue(11);
    }
  }

  /** The page may be marked clean after the failed force; the next note makes it dirty again. */
  @Test
  void aForceOfTheNoteThatFailsStopsNothing() {
    SimulatedDisk disk = disk();
    try (Log log = new Log(disk.storage(), new ManualExecution())) {
      log.batch();
      log.note.forceIfDue();
      disk.inject(Fault.onNth(Operation.FORCE, 1).in(ForceNote.NAME).with(Reason.IO));
      log.note.forceIfDue();
      long forces = disk.operations(Operation.FORCE);
      log.note.forceIfDue();
      assertThat(disk.operations(Operation.FORCE)).isEqualTo(forces);
      log.batch();
      log.note.forceIfDue();
      log.note.forceIfDue();
      assertThat(disk.operations(Operation.FORCE)).isEqualTo(forces + 2);
    }
  }

  @Test
  void aLaterGenerationKeepsTheNotesUntilItsOwn() {
    SimulatedDisk disk = disk();
    run(disk);
    byte[] before = disk.contents(ForceNote.NAME);
    LogStart next = new LogStart(11, 12, GENERATION + 1, 0, 9, List.of(), List.of(), 1);
    try (ForceNote note = ForceNote.open(disk.storage(), next, new ManualExecution())) {
      assertThat(disk.contents(ForceNote.NAME)).isEqualTo(before);
      note.note(new BatchId(1, 99));
      assertThat(noted(disk))
          .hasSize(2)
          .contains(new NotedForce(GENERATION + 1, new BatchId(1, 99)));
    }
  }

  @Test
  void eachDamagedBitIsNoticedAndADamagedNoteIsMadeAgain() {
    SimulatedDisk disk = disk();
    run(disk);
    for (int at = 0; at < ForceNoteLayout.HEADER_LENGTH; at++) {
      disk.flipBit(ForceNote.NAME, at, at % 8);
      assertThat(NotedForce.readAll(disk.storage(), 11, 12)).as("byte %s", at).isEmpty();
      disk.flipBit(ForceNote.NAME, at, at % 8);
    }
    for (int slot : List.of(ForceNoteLayout.EVEN_SLOT_OFFSET, ForceNoteLayout.ODD_SLOT_OFFSET)) {
      for (int at = slot; at < slot + ForceNoteLayout.SLOT_LENGTH; at++) {
        disk.flipBit(ForceNote.NAME, at, at % 8);
        assertThat(noted(disk)).as("byte %s", at).hasSize(1);
        disk.flipBit(ForceNote.NAME, at, at % 8);
      }
    }
    assertThat(noted(disk)).hasSize(2);
    assertThat(NotedForce.readAll(disk.storage(), 11, 13)).as("another store").isEmpty();
    disk.truncate(ForceNote.NAME, ForceNoteLayout.LENGTH - 1);
    assertThat(NotedForce.readAll(disk.storage(), 11, 12)).isEmpty();
    ForceNote.open(disk.storage(), NEW, new ManualExecution()).close();
    assertThat(NotedForce.readAll(disk.storage(), 11, 12)).hasValue(List.of());
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(NotedForce.readAll(disk.storage(), 11, 12)).as("durable").hasValue(List.of());
    ForceNote.delete(disk.storage());
    ForceNote.delete(disk.storage());
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(NotedForce.readAll(disk.storage(), 11, 12)).isEmpty();
  }
}
