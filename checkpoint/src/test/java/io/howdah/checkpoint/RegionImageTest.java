package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Image, sums and journal of a small region: what is written, what is durable, what is noticed. */
class RegionImageTest {

  private static final int PAGE_BYTES = 4096;
  private static final int LINE_BYTES = JournalLayout.lineBytes(PAGE_BYTES);
  private static final int PAGES = 600;
  private static final StoreId ID = new StoreId(1, 2);
  private static final Geometry GEOMETRY = geometry(PAGES);

  private final SimulatedDisk disk = SimulatedDisk.seeded(1);

  /** What is in memory here outlives the power cuts of the disk. */
  private final Storage lasting = SimulatedDisk.seeded(2).storage();

  private final StagingMemory memory = new StagingMemory();
  private final Region region = lasting.allocate((long) PAGES * PAGE_BYTES);
  private final DirtyPages dirty =
      DirtyPages.create(lasting, (long) PAGES * PAGE_BYTES, PAGE_BYTES);
  private long checkpoint;

  @AfterEach
  void end() {
    memory.close();
  }

  private static Geometry geometry(int pages) {
    return new Geometry(1, 1 << 16, (long) pages * PAGE_BYTES, 1024, 32, PAGE_BYTES);
  }

  private void create() {
    RegionImage.create(disk.storage(), ID, GEOMETRY);
  }

  private void write(long page, int line, long value) {
    region.setLong(page * PAGE_BYTES + (long) line * LINE_BYTES, value);
    dirty.markIn(dirty.currentMap(), page);
  }

  /** Pages side by side, pages alone, pages of one line and of many, the last of all. */
  private void writeMany(long value) {
    for (long page : new long[] {0, 3, 4, 5, 9, 300, 301, PAGES - 1}) {
      for (int line = 0; line < JournalLayout.MAX_LINES; line++) {
        write(page, line, value + page + line);
      }
    }
    write(10, 63, value);
    write(11, 0, value);
    write(12, 5, value);
    write(12, 6, value);
    write(12, 40, value);
  }

  private Journal journal() {
    return new Journal(disk.storage(), ID, GEOMETRY, (int) (checkpoint & 1));
  }

  private CheckpointState journaled(Journal journal, Granularity granularity) {
    return journal.write(
        new Journal.Contents(
            new MarkedPages(region, dirty),
            dirty,
            true,
            granularity,
            checkpoint,
            checkpoint,
            0,
            0,
            List.of(),
            () -> checkpoint),
        CheckpointProgress.NONE);
  }

  private void requireImage() {
    Region loaded = lasting.allocate((long) PAGES * PAGE_BYTES);
    try (StorageFile file = disk.storage().open(ImageFile.NAME, Storage.Access.READ);
        ImageSums sums = new ImageSums(disk.storage(), Storage.Access.READ, memory, PAGE_BYTES)) {
      RegionImage.load(
          file,
          sums,
          loaded,
          0,
          (long) PAGES * PAGE_BYTES,
          PAGE_BYTES,
          RegionImage.staging(memory, (long) PAGES * PAGE_BYTES));
    }
    for (long at = 0; at < (long) PAGES * PAGE_BYTES; at += LINE_BYTES) {
      assertThat(loaded.getLong(at)).as("address %s", at).isEqualTo(region.getLong(at));
    }
    loaded.close();
  }

  /** Takes bytes together. */
  private static final class Folded implements CheckpointProgress {
    long bytes;
    int calls;

    @Override
    public void folded(long more) {
      bytes += more;
      calls++;
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void whatIsFoldedIsDurable(boolean isChecked) {
    create();
    for (Granularity granularity :
        List.of(Granularity.LINES, Granularity.DUAL, Granularity.PAGES)) {
      checkpoint++;
      writeMany(1000 * checkpoint);
      try (Journal journal = journal()) {
        CheckpointState state = journaled(journal, granularity);
        Folded folded = new Folded();
        long pages =
            isChecked
                ? RegionImage.foldChecked(disk.storage(), journal, state, PAGE_BYTES)
                : RegionImage.fold(disk.storage(), journal, state, PAGE_BYTES, folded);
        assertThat(pages).isEqualTo(11);
        if (!isChecked) {
          // Pages and their sums; of the last three some lines only, unless pages go whole.
          long whole = 8L * PAGE_BYTES + 11L * ImageSumsLayout.SUM_LENGTH;
          long rest = granularity.equals(Granularity.PAGES) ? 3L * PAGE_BYTES : 5L * LINE_BYTES;
          assertThat(folded.bytes).isEqualTo(whole + rest);
          // Neighbours go together: 0, 3-5, 9, 300-301, 599, the rest, and the sums.
          assertThat(folded.calls).isEqualTo(granularity.equals(Granularity.PAGES) ? 6 : 10);
        }
      }
      dirty.clear(1);
      disk.powerCut(CrashChoice.LOSE_ALL);
      requireImage();
    }
  }

  /** A fold of much forces the image in parts, so that those who wait for the log get the disk. */
  @Test
  void aLongFoldForcesInParts() {
    Geometry large = geometry(8000);
    RegionImage.create(disk.storage(), ID, large);
    Region words = lasting.allocate(8000L * PAGE_BYTES);
    try (DirtyPages marks = DirtyPages.create(lasting, 8000L * PAGE_BYTES, PAGE_BYTES);
        Journal journal = new Journal(disk.storage(), ID, large, 0)) {
      for (long page = 0; page < 7000; page++) {
        words.setLong(page * PAGE_BYTES, page + 1);
        marks.markIn(marks.currentMap(), page);
      }
      CheckpointState state =
          journal.write(
              new Journal.Contents(
                  new MarkedPages(words, marks),
                  marks,
                  true,
                  Granularity.LINES,
                  1,
                  1,
                  0,
                  0,
                  List.of(),
                  () -> 1),
              CheckpointProgress.NONE);
      long forces = disk.operations(Operation.FORCE);
      RegionImage.fold(disk.storage(), journal, state, PAGE_BYTES, CheckpointProgress.NONE);
      // Behind each of two groups of more than 2,048 pages, at the end, and the sums.
      assertThat(disk.operations(Operation.FORCE) - forces).isEqualTo(4);
    }
  }

  @Test
  void pagesOfAJournalAreCopiedWithoutChangingAFile() {
    create();
    checkpoint++;
    writeMany(5);
    byte[] image = disk.contents(ImageFile.NAME);
    Region copy = lasting.allocate((long) PAGES * PAGE_BYTES);
    try (Journal journal = journal()) {
      CheckpointState state = journaled(journal, Granularity.LINES);
      assertThat(RegionImage.copyPatched(disk.storage(), journal, state, PAGE_BYTES, copy))
          .isEqualTo(11);
    }
    for (long at = 0; at < (long) PAGES * PAGE_BYTES; at += LINE_BYTES) {
      assertThat(copy.getLong(at)).isEqualTo(region.getLong(at));
    }
    assertThat(disk.contents(ImageFile.NAME)).isEqualTo(image);
  }

  @Test
  void linesRepairNoPageThatIsDamagedElsewhere() {
    create();
    checkpoint++;
    writeMany(5);
    try (Journal journal = journal()) {
      CheckpointState state = journaled(journal, Granularity.LINES);
      disk.flipBit(ImageFile.NAME, 11L * PAGE_BYTES + 4000, 2);
      CorruptStoreException found =
          catchThrowableOfType(
              CorruptStoreException.class,
              () -> RegionImage.foldChecked(disk.storage(), journal, state, PAGE_BYTES));
      assertThat(found).hasMessageContaining("page 11 is damaged");
      assertThat(found.offset()).isEqualTo(11L * PAGE_BYTES);
      disk.flipBit(ImageFile.NAME, 11L * PAGE_BYTES + 4000, 2);
      disk.truncate(ImageFile.NAME, 12L * PAGE_BYTES);
      assertThat(
              catchThrowableOfType(
                  CorruptStoreException.class,
                  () -> RegionImage.foldChecked(disk.storage(), journal, state, PAGE_BYTES)))
          .hasMessageContaining("shrank");
    }
  }

  private record Piece(long address, int length, long first) {}

  private List<Piece> pieces(long endBytes, boolean isHeld, List<Long> damaged) {
    List<Piece> pieces = new ArrayList<>();
    journal().close();
    checkpoint++;
    RegionImage.read(
        disk.storage(),
        null,
        CheckpointState.NONE,
        isHeld,
        GEOMETRY,
        endBytes,
        (address, bytes) ->
            pieces.add(new Piece(address, bytes.remaining(), bytes.getLong(bytes.position()))),
        (page, _) -> damaged.add(page));
    return pieces;
  }

  private void folded() {
    create();
    checkpoint++;
    writeMany(5);
    try (Journal journal = journal()) {
      CheckpointState state = journaled(journal, Granularity.DUAL);
      RegionImage.fold(disk.storage(), journal, state, PAGE_BYTES, CheckpointProgress.NONE);
    }
  }

  @Test
  void anImageIsHandedOverInPieces() {
    folded();
    List<Long> damaged = new ArrayList<>();
    assertThat(pieces((long) PAGES * PAGE_BYTES, true, damaged))
        .containsExactly(
            new Piece(0, 1 << 20, 5),
            new Piece(1 << 20, 1 << 20, 0),
            new Piece(2 << 20, (PAGES - 512) * PAGE_BYTES, 0));
    assertThat(damaged).isEmpty();
    disk.flipBit(ImageFile.NAME, 7, 1);
    disk.flipBit(ImageFile.NAME, 300L * PAGE_BYTES, 1);
    disk.flipBit(ImageFile.NAME, (long) PAGES * PAGE_BYTES - 1, 1);
    pieces((long) PAGES * PAGE_BYTES, true, damaged);
    assertThat(damaged).containsExactly(0L, 300L, PAGES - 1L);
    damaged.clear();
    pieces((long) PAGES * PAGE_BYTES, false, damaged);
    assertThat(damaged).isEmpty();
  }

  @Test
  void whatWasNeverWrittenHasNoSums() {
    folded();
    CorruptStoreException found =
        catchThrowableOfType(
            CorruptStoreException.class, () -> pieces(302L * PAGE_BYTES, true, new ArrayList<>()));
    assertThat(found).hasMessageContaining("page " + (PAGES - 1) + " of the image was never");
    assertThat(pieces(302L * PAGE_BYTES, false, new ArrayList<>())).hasSize(2);
  }

  @Test
  void pagesOfAJournalAreHandedOverInTheirPlaces() {
    create();
    checkpoint++;
    writeMany(5);
    List<Long> addresses = new ArrayList<>();
    long[] end = new long[1];
    try (Journal journal = journal()) {
      CheckpointState state = journaled(journal, Granularity.LINES);
      RegionImage.read(
          disk.storage(),
          journal,
          state,
          true,
          GEOMETRY,
          (long) PAGES * PAGE_BYTES,
          (address, bytes) -> {
            assertThat(address).isEqualTo(end[0]);
            end[0] = address + bytes.remaining();
            addresses.add(address / PAGE_BYTES);
            for (int at = 0; at < bytes.remaining(); at += LINE_BYTES) {
              assertThat(bytes.getLong(bytes.position() + at))
                  .isEqualTo(region.getLong(address + at));
            }
          },
          PageDamage.FATAL);
    }
    assertThat(end[0]).isEqualTo((long) PAGES * PAGE_BYTES);
    assertThat(addresses).contains(0L, 1L, 3L, 4L, 5L, 6L, 12L, 13L, 269L, 300L, 301L);
  }

  @Test
  void somePagesAreVerifiedAgainstTheirSumsAndTheJournals() {
    folded();
    TreeMap<Long, Optional<Witness>> pages = new TreeMap<>();
    pages.put(3L, Optional.empty());
    pages.put(5L, Optional.empty());
    RegionImage.check(disk.storage(), GEOMETRY, pages);
    try (Journal journal = journal()) {
      List<Witness> witnesses = journal.witnesses(checkpoint);
      assertThat(witnesses).hasSizeGreaterThan(4);
      witnesses.forEach(witness -> pages.put(witness.page(), Optional.of(witness)));
      RegionImage.check(disk.storage(), GEOMETRY, pages);
      Witness first = witnesses.getFirst();
      pages.put(first.page(), Optional.of(new Witness(first.page(), first.crc32c() + 1)));
      CorruptStoreException found =
          catchThrowableOfType(
              CorruptStoreException.class,
              () -> RegionImage.check(disk.storage(), GEOMETRY, pages));
      assertThat(found).hasMessageContaining("not as the newest checkpoint");
      assertThat(found.offset()).isEqualTo(first.page() * PAGE_BYTES);
    }
    pages.clear();
    pages.put(5L, Optional.empty());
    disk.flipBit(ImageFile.NAME, 5L * PAGE_BYTES, 0);
    assertThat(
            catchThrowableOfType(
                CorruptStoreException.class,
                () -> RegionImage.check(disk.storage(), GEOMETRY, pages)))
        .hasMessageContaining("page 5 is damaged");
  }

  // ---- files

  private CorruptStoreException notWhole(Geometry geometry) {
    return catchThrowableOfType(
        CorruptStoreException.class, () -> RegionImage.requireWhole(disk.storage(), ID, geometry));
  }

  @Test
  void anImageIsDurableOnceItIsCreated() {
    create();
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(disk.storage().exists(Journal.DIRECTORY)).isTrue();
    RegionImage.requireWhole(disk.storage(), ID, GEOMETRY);
    requireImage();
  }

  @Test
  void anImageIsDurablyLongerOnceItHasGrown() {
    folded();
    Geometry larger = geometry(2 * PAGES);
    assertThat(notWhole(larger)).hasMessageContaining("image ends here");
    RegionImage.grow(disk.storage(), larger);
    disk.powerCut(CrashChoice.LOSE_ALL);
    RegionImage.requireWhole(disk.storage(), ID, larger);
    requireImage();
    RegionImage.grow(disk.storage(), GEOMETRY);
    RegionImage.requireWhole(disk.storage(), ID, larger);
  }

  @Test
  void whatIsMissingOrShorterIsNamed() {
    assertThat(notWhole(GEOMETRY)).hasMessageContaining("image is missing");
    create();
    long end = ImageSumsLayout.offset(PAGES);
    disk.truncate(ImageSums.NAME, end - 1);
    assertThat(notWhole(GEOMETRY)).hasMessageContaining("checksums of the image end here");
    disk.remove(ImageSums.NAME);
    assertThat(notWhole(GEOMETRY)).hasMessageContaining("checksums of the image are missing");
    disk.truncate(ImageFile.NAME, (long) PAGES * PAGE_BYTES - 1);
    assertThat(notWhole(GEOMETRY)).hasMessageContaining("image ends here");
  }

  @Test
  void sumsOfAnotherStoreOrPageLengthOrFormatAreRefused() {
    create();
    for (int offset :
        new int[] {
          ImageSumsLayout.MAGIC_OFFSET,
          ImageSumsLayout.VERSION_OFFSET,
          ImageSumsLayout.PAGE_BYTES_OFFSET,
          ImageSumsLayout.STORE_ID_HIGH_OFFSET,
          ImageSumsLayout.STORE_ID_LOW_OFFSET,
          ImageSumsLayout.CRC_OFFSET
        }) {
      disk.flipBit(ImageSums.NAME, offset, 0);
      assertThat(notWhole(GEOMETRY)).hasMessageContaining("header is damaged or of another store");
      disk.flipBit(ImageSums.NAME, offset, 0);
    }
    RegionImage.requireWhole(disk.storage(), ID, GEOMETRY);
    assertThat(
            catchThrowableOfType(
                CorruptStoreException.class,
                () -> RegionImage.requireWhole(disk.storage(), new StoreId(1, 3), GEOMETRY)))
        .hasMessageContaining("another store");
  }

  // ---- journals

  @Test
  void aJournalThatCountsIsDurableAndOneThatIsGivenUpIsGone() {
    create();
    checkpoint++;
    writeMany(5);
    try (Journal journal = journal()) {
      CheckpointState state = journaled(journal, Granularity.DUAL);
      disk.powerCut(CrashChoice.LOSE_ALL);
      try (Journal left = journal()) {
        assertThat(left.read(state, _ -> {})).isEqualTo(11);
        assertThat(left.imageEnd(state)).isEqualTo((long) PAGES * PAGE_BYTES);
        assertThat(Journal.checkpoint(disk.storage(), ID, 1)).isEqualTo(1);
        assertThat(Journal.checkpoint(disk.storage(), new StoreId(1, 3), 1)).isZero();
        left.shrink();
        assertThat(disk.contents(Journal.name(1))).hasSize(JournalLayout.HEADER_LENGTH);
        assertThat(left.imageEnd(state)).isEqualTo((long) PAGES * PAGE_BYTES);
        left.discard();
        assertThat(disk.storage().exists(Journal.name(1))).isFalse();
        left.shrink();
        assertThat(left.imageEnd(state)).isNull();
      }
    }
  }

  @Test
  void aJournalThatCannotBeReadGivesItsFileBack() {
    create();
    checkpoint++;
    writeMany(5);
    try (Journal journal = journal()) {
      CheckpointState state = journaled(journal, Granularity.DUAL);
      long length = disk.contents(Journal.name(1)).length;
      assertThat(state.journalLengthBytes()).isEqualTo(length);
      disk.truncate(Journal.name(1), length - 1);
      CorruptStoreException found =
          catchThrowableOfType(CorruptStoreException.class, () -> journal.read(state, _ -> {}));
      assertThat(found).hasMessageContaining("the journal ends here, but has " + length);
      disk.remove(Journal.name(1));
      assertThat(
              catchThrowableOfType(CorruptStoreException.class, () -> journal.read(state, _ -> {})))
          .hasMessageContaining("the journal is missing");
    }
  }

  /** After a force that failed, no force proves anything about the file's pages. */
  @Test
  void aJournalIsNeverWrittenToTheFileThatIsThere() {
    create();
    checkpoint++;
    writeMany(5);
    try (Journal journal = journal()) {
      disk.inject(Fault.onNth(Operation.FORCE, 1).in(Journal.name(1)));
      assertThatThrownBy(() -> journaled(journal, Granularity.DUAL))
          .isInstanceOf(RuntimeException.class);
      CheckpointState state = journaled(journal, Granularity.DUAL);
      disk.powerCut(CrashChoice.LOSE_ALL);
      try (Journal left = journal()) {
        assertThat(left.read(state, _ -> {})).isEqualTo(11);
      }
    }
  }
}
