package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.layout.SegmentHeader;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.commit.LogStart;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Segments that are made ready while the disk fails for a time. */
class SegmentFactoryTest {

  private static final List<String> NAMES = List.of("log/0/00000000.seg", "log/0/00000001.seg");

  private final SimulatedDisk disk = SimulatedDisk.seeded(3);
  private Storage storage;

  @BeforeEach
  void createLog() {
    storage = disk.storage();
    storage.createDirectory("log");
    storage.createDirectory("log/0");
  }

  private SegmentFactory factory(List<String> free, long sequence, int name) {
    LogStart start = new LogStart(1, 2, 1, 0, sequence, free, List.of(), name);
    return new SegmentFactory(
        storage, start, SegmentLayout.MIN_LENGTH, 1 << 20, SegmentLayout.MAX_LENGTH);
  }

  private long sequence(String name) {
    ByteBuffer page =
        ByteBuffer.allocateDirect(SegmentLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    try (StorageFile file = storage.open(name, Storage.Access.READ)) {
      file.read(0, page);
    }
    return Objects.requireNonNull(SegmentHeader.read(page)).sequence();
  }

  @Test
  void aSegmentWhoseHeaderCouldNotBeForcedIsTheNextOneToBeTried() {
    SegmentFactory first = factory(List.of(), 1, 0);
    List<Segment> old = List.of(first.next(), first.next());
    old.forEach(segment -> segment.file.close());
    SegmentFactory factory = factory(NAMES, 3, 2);

    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.NO_SPACE));
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    List<Segment> ready = List.of(factory.next(), factory.next());

    List<Long> sequences = new ArrayList<>();
    for (Segment segment : ready) {
      assertThat(sequence(segment.name)).isEqualTo(segment.sequence);
      sequences.add(segment.sequence);
      segment.file.close();
    }
    assertThat(sequences).containsExactly(3L, 4L);
  }

  @Test
  void noTwoSegmentsHaveTheSameSequenceWhileOneIsTriedAgain() {
    SegmentFactory first = factory(List.of(), 1, 0);
    List<Segment> old = List.of(first.next(), first.next());
    old.forEach(segment -> segment.file.close());
    SegmentFactory factory = factory(NAMES, 3, 2);
    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.NO_SPACE));
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    factory.next().file.close();
    assertThat(NAMES).extracting(this::sequence).doesNotHaveDuplicates();
  }

  private SegmentFactory sized(int firstBytes, int largestBytes, String... free) {
    LogStart start = new LogStart(1, 2, 1, 0, 9, List.of(free), List.of(), 7);
    return new SegmentFactory(storage, start, SegmentLayout.MIN_LENGTH, firstBytes, largestBytes);
  }

  @Test
  void noSegmentIsTooShortForTheLongestRecord() {
    make("log/0/00000001.seg", 1 << 18);
    int smallest = BatchWriter.smallestSegmentBytes(1 << 20, 2);
    assertThat(smallest).isEqualTo((1 << 18) + 2 * 4096);
    LogStart start = new LogStart(1, 2, 1, 0, 9, List.of("log/0/00000001.seg"), List.of(), 7);
    SegmentFactory factory = new SegmentFactory(storage, start, smallest, 1 << 16, 1 << 17);
    for (int i = 0; i < 2; i++) {
      Segment segment = next(factory);
      assertThat(segment.name).isNotEqualTo("log/0/00000001.seg");
      assertThat(segment.lengthBytes).isEqualTo(smallest);
    }
    assertThat(storage.exists("log/0/00000001.seg")).isFalse();
  }

  private void make(String name, int lengthBytes) {
    try (StorageFile file = storage.create(name)) {
      file.write(0, ByteBuffer.allocateDirect(lengthBytes));
    }
  }

  private Segment next(SegmentFactory factory) {
    Segment segment = factory.next();
    segment.file.close();
    assertThat(segment.position).isEqualTo(SegmentLayout.HEADER_LENGTH);
    assertThat(segment.remainingBytes())
        .isEqualTo(segment.lengthBytes - SegmentLayout.HEADER_LENGTH);
    assertThat(sequence(segment.name)).isEqualTo(segment.sequence);
    return segment;
  }

  @Test
  void newSegmentsDoubleTheirLengthUpToTheLargest() {
    SegmentFactory factory = sized(1 << 20, 3 << 20);
    List<Integer> lengths = new ArrayList<>();
    List<Long> sequences = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Segment segment = next(factory);
      lengths.add(segment.lengthBytes);
      sequences.add(segment.sequence);
      names.add(segment.name);
      byte[] contents = disk.contents(segment.name);
      assertThat(contents).hasSize(segment.lengthBytes);
      assertThat(
              Arrays.mismatch(
                  contents,
                  SegmentLayout.HEADER_LENGTH,
                  contents.length,
                  new byte[contents.length],
                  0,
                  contents.length - SegmentLayout.HEADER_LENGTH))
          .as("zeros behind the header")
          .isEqualTo(-1);
    }
    assertThat(lengths).containsExactly(1 << 20, 2 << 20, 3 << 20, 3 << 20);
    assertThat(sequences).containsExactly(9L, 10L, 11L, 12L);
    assertThat(names.getFirst()).isEqualTo("log/0/00000007.seg");
    assertThat(names).doesNotHaveDuplicates();
  }

  @Test
  void aFreeSegmentIsUsedAgainWholeIfItsLengthIsOfUse() {
    make("log/0/00000001.seg", 1 << 18);
    make("log/0/00000002.seg", 4 << 20);
    SegmentFactory factory = sized(1 << 20, 2 << 20, "log/0/00000001.seg", "log/0/00000002.seg");
    Segment first = next(factory);
    assertThat(first.name).isEqualTo("log/0/00000001.seg");
    assertThat(first.lengthBytes).isEqualTo(1 << 18);
    Segment second = next(factory);
    assertThat(second.name).isEqualTo("log/0/00000002.seg");
    assertThat(second.lengthBytes).isEqualTo(2 << 20);
    assertThat(next(factory).lengthBytes).isEqualTo(2 << 20); // as if two had been made
  }

  @Test
  void aFreeSegmentThatIsFarTooShortOrTooLongIsDeleted() {
    make("log/0/00000001.seg", (1 << 18) - 4096);
    make("log/0/00000002.seg", (4 << 20) + 4096);
    SegmentFactory factory = sized(1 << 20, 2 << 20, "log/0/00000001.seg", "log/0/00000002.seg");
    assertThat(next(factory).name).isEqualTo("log/0/00000007.seg");
    assertThat(storage.list("log/0")).containsExactly("00000007.seg");
  }

  @Test
  void ofSegmentsGivenBackOnlySomeAreKept() {
    int[][] cases = {{64 << 20, 8}, {128 << 20, 8}, {32 << 20, 16}, {16 << 20, 32}, {1 << 20, 32}};
    for (int[] largestAndKept : cases) {
      SegmentFactory factory = sized(1 << 20, largestAndKept[0]);
      List<String> names = new ArrayList<>();
      for (int i = 100; i < 140; i++) {
        names.add("log/0/00000" + i + ".seg");
        make(names.getLast(), 4096);
        factory.free(names.getLast());
      }
      assertThat(storage.list("log/0")).hasSize(largestAndKept[1]);
      names.stream().filter(storage::exists).forEach(storage::delete);
    }
  }

  @Test
  void aSegmentThatCouldNotBeMadeForLackOfSpaceIsMadeAgain() {
    SegmentFactory factory = sized(3 << 20, 4 << 20);
    disk.inject(Fault.onNth(Operation.WRITE, 2).with(Reason.NO_SPACE));
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    assertThat(storage.list("log/0")).isEmpty();
    Segment segment = next(factory);
    assertThat(segment.name).isEqualTo("log/0/00000007.seg");
    assertThat(segment.sequence).isEqualTo(9);
    assertThat(segment.lengthBytes).as("half as long").isEqualTo(3 << 19);
    assertThat(next(factory).lengthBytes).isEqualTo(3 << 20);
  }

  @Test
  void withLittleSpaceASegmentIsAsLongAsFitsAndTheShortestIsTriedInAnyCase() {
    SegmentFactory factory = sized(1 << 20, 4 << 20);
    next(factory);
    disk.setFreeBytes(300 << 10);
    assertThat(next(factory).lengthBytes).isEqualTo(1 << 18);
    assertThat(disk.contents("log/0/00000008.seg")).hasSize(1 << 18);
    factory.updateScarce();
    assertThat(factory.isSpaceScarce()).isTrue();
    disk.setFreeBytes(30 << 10);
    long writes = disk.operations(Operation.WRITE);
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    assertThat(disk.operations(Operation.WRITE)).isEqualTo(writes + 1);
    assertThat(storage.usableBytes()).as("given back").isEqualTo(28 << 10); // whole pages
    factory.free("log/0/00000007.seg");
    assertThat(factory.isSpaceScarce()).isFalse();
    assertThat(next(factory).name).isEqualTo("log/0/00000007.seg");
    disk.setFreeBytes(1 << 30);
    assertThat(next(factory).lengthBytes).isEqualTo(SegmentLayout.MIN_LENGTH << 1);
    factory.updateScarce();
    assertThat(factory.isSpaceScarce()).isFalse();
  }

  @Test
  void aSegmentThatCouldNotBeOpenedIsTheNextOneToBeTried() {
    make("log/0/00000001.seg", 1 << 20);
    make("log/0/00000002.seg", 1 << 20);
    SegmentFactory factory = sized(1 << 20, 2 << 20, "log/0/00000001.seg", "log/0/00000002.seg");
    disk.inject(Fault.onNth(Operation.OPEN, 1).with(Reason.NO_SPACE));
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    assertThat(next(factory).name).isEqualTo("log/0/00000001.seg");
    assertThat(next(factory).name).isEqualTo("log/0/00000002.seg");
  }

  @Test
  void aSegmentEndsWithAWholePage() {
    make("log/0/00000001.seg", (1 << 19) + 4095);
    assertThat(next(sized(1 << 20, 2 << 20, "log/0/00000001.seg")).lengthBytes).isEqualTo(1 << 19);
  }

  @Test
  void aSegmentAndItsNameAreDurableBeforeItIsUsed() {
    SegmentFactory factory = sized(1 << 20, 2 << 20);
    long forces = disk.operations(Operation.FORCE);
    long directories = disk.operations(Operation.FORCE_DIRECTORY);
    next(factory);
    assertThat(disk.operations(Operation.FORCE)).as("blocks, header").isEqualTo(forces + 2);
    assertThat(disk.operations(Operation.FORCE_DIRECTORY)).isEqualTo(directories + 1);
    make("log/0/00000001.seg", 1 << 20);
    factory.free("log/0/00000001.seg");
    next(factory);
    assertThat(disk.operations(Operation.FORCE)).isEqualTo(forces + 3);
  }

  /** Its blocks may show up in another segment after a power cut, and so would its header. */
  @Test
  void aNewSegmentHasNoHeaderWhileItMayBeDeleted() {
    for (Operation operation : List.of(Operation.FORCE, Operation.FORCE_DIRECTORY)) {
      SegmentFactory factory = sized(1 << 20, 2 << 20);
      disk.inject(Fault.onNth(operation, 1).with(Reason.NO_SPACE));
      disk.inject(Fault.onNth(Operation.DELETE, 1).with(Reason.IO)); // so that the file stays
      assertThatThrownBy(factory::next)
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.IO));
      boolean isNamed = operation == Operation.FORCE_DIRECTORY;
      String left = isNamed ? "log/0/00000007.seg" : EmptySegment.UNFINISHED;
      assertThat(storage.list("log/0")).containsExactly(left.substring("log/0/".length()));
      assertThat(disk.contents(left)).containsOnly(0);
      storage.delete(left);
      disk.clearFaults();
    }
  }

  private static SegmentFactory shortest(Storage storage, int name) {
    LogStart start = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), name);
    return new SegmentFactory(storage, start, SegmentLayout.MIN_LENGTH, 1 << 16, 1 << 16);
  }

  /**
   * The power goes while a segment is made, on a disk that shows in a new file what a deleted one
   * held: the header of the same sequence, or of a later one.
   */
  @Test
  void aNewSegmentNeverShowsADeletedOne() {
    SegmentFactory other = shortest(storage, 0);
    List.of(other.next(), other.next()).forEach(segment -> segment.file.close());
    List.of("", "log", "log/0").forEach(storage::forceDirectory);
    NAMES.forEach(storage::delete);
    storage.forceDirectory("log/0");
    int states = 0;
    int stale = 0;
    boolean isOver = false;
    for (int operation = 1; !isOver; operation++) {
      SimulatedDisk died = disk.fork();
      died.crashAtOperation(operation, CrashMoment.AFTER);
      try {
        shortest(died.storage(), 2).next();
      } catch (SimulatedCrash e) {
        assertThat(died.hasCrashed()).isTrue();
      }
      isOver = !died.hasCrashed();
      for (int i = 0; i < 60; i++) {
        SimulatedDisk cut = died.fork();
        CrashStates possible = cut.crashStates();
        long third = 3L * i + 2; // of more states than can all be seen, these show stale bytes
        cut.powerCut(possible.choice(possible.count() <= 4096 ? i % possible.count() : third));
        for (String entry : cut.storage().list("log/0")) {
          byte[] found = cut.contents("log/0/" + entry);
          boolean isZero = Arrays.mismatch(found, new byte[found.length]) < 0;
          if (SegmentNames.number(entry) < 0) {
            stale += isZero ? 0 : 1;
            continue;
          }
          assertThat(entry).isEqualTo("00000002.seg");
          assertThat(found).hasSize(1 << 16);
          assertThat(
                  Arrays.mismatch(
                      found, 4096, found.length, new byte[found.length], 4096, found.length))
              .as("after operation %d, state %d", operation, i)
              .isEqualTo(-1);
          SegmentHeader header =
              SegmentHeader.read(ByteBuffer.wrap(found, 0, 4096).order(ByteOrder.LITTLE_ENDIAN));
          assertThat(isZero || header == null || header.sequence() == 1).isTrue();
          assertThat(header == null || header.lengthBytes() == 1 << 16).isTrue();
          states++;
        }
      }
    }
    assertThat(states).isGreaterThan(50);
    assertThat(stale).as("files that show another's bytes").isPositive();
  }

  /** Else a full disk would keep a file that nobody uses. */
  @Test
  void aSegmentThatCouldNotBeFinishedIsDeletedUnderEitherName() {
    for (Operation operation :
        List.of(Operation.FORCE, Operation.RENAME, Operation.FORCE_DIRECTORY)) {
      SegmentFactory factory = sized(1 << 20, 2 << 20);
      disk.inject(Fault.onNth(operation, 1).with(Reason.NO_SPACE));
      assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
      assertThat(storage.list("log/0")).as("%s", operation).isEmpty();
      disk.clearFaults();
    }
  }

  @Test
  void aSegmentThatAnEarlierProcessDidNotFinishIsReplaced() {
    make(EmptySegment.UNFINISHED, 5 << 20);
    Segment segment = next(sized(1 << 20, 2 << 20));
    assertThat(segment.name).isEqualTo("log/0/00000007.seg");
    assertThat(disk.contents(segment.name)).hasSize(1 << 20);
    assertThat(storage.list("log/0")).containsExactly("00000007.seg");
  }

  @Test
  void aNewSegmentWhoseHeaderIsNotDurableIsTheNextOneToBeTried() {
    SegmentFactory factory = sized(1 << 20, 2 << 20);
    disk.inject(Fault.onNth(Operation.FORCE, 2).with(Reason.NO_SPACE));
    assertThatThrownBy(factory::next).isInstanceOf(StorageException.class);
    assertThat(disk.operations(Operation.DELETE)).isZero();
    for (int i = 0; i < 2; i++) {
      Segment segment = next(factory);
      assertThat(segment.name).isEqualTo("log/0/0000000" + (7 + i) + ".seg");
      assertThat(segment.sequence).isEqualTo(9 + i);
      assertThat(segment.lengthBytes).isEqualTo((1 << 20) << i);
    }
  }

  /** The preparer's thread gets there in the end; a test that fails waits for a minute. */
  private static void await(BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 60_000 && !condition.getAsBoolean(); i++) {
      Thread.sleep(1);
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  private static Segment take(SegmentPreparer preparer) throws InterruptedException {
    Segment[] taken = {null};
    await(() -> taken[0] != null || (taken[0] = preparer.poll()) != null);
    taken[0].file.close();
    return taken[0];
  }

  @Test
  void oneSegmentIsPreparedAheadOfThoseTaken() throws InterruptedException {
    SegmentPreparer preparer =
        new SegmentPreparer(sized(1 << 20, 1 << 20), Execution.system(), () -> {}, "preparer");
    assertThat(take(preparer).sequence).isEqualTo(9);
    assertThat(take(preparer).sequence).isEqualTo(10);
    assertThat(preparer.failure()).isNull();
    assertThat(preparer.isFileSystemFull()).isFalse();
    await(() -> storage.exists("log/0/00000009.seg"));
    preparer.close();
    assertThat(preparer.poll()).isNull();
    assertThat(storage.list("log/0")).hasSize(3);
  }

  @Test
  void thePreparerTriesAgainWhileTheDiskIsFull() throws InterruptedException {
    disk.inject(Fault.onNth(Operation.WRITE, 1).with(Reason.NO_SPACE).forEver());
    SegmentPreparer preparer =
        new SegmentPreparer(sized(1 << 20, 1 << 20), Execution.system(), () -> {}, "preparer");
    await(preparer::isFileSystemFull);
    assertThat(preparer.poll()).isNull();
    assertThat(preparer.failure()).isNull();
    disk.clearFaults();
    assertThat(take(preparer).sequence).isEqualTo(9);
    await(() -> !preparer.isFileSystemFull());
    preparer.close();
  }

  @Test
  void aPreparerWhoseDiskFailsSaysWhy() throws InterruptedException {
    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.IO));
    SegmentPreparer preparer =
        new SegmentPreparer(sized(1 << 20, 1 << 20), Execution.system(), () -> {}, "preparer");
    await(() -> preparer.failure() != null);
    assertThat(preparer.failure()).isInstanceOf(StorageException.class);
    assertThat(preparer.poll()).isNull();
    preparer.close();
  }
}
