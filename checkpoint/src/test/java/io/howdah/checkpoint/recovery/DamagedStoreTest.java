package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.report.RingTrust;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Bits flip in every file of a small store: it opens with all it had, or says which file is
 * damaged, but where nothing else is left to tell (docs/recovery.md, section 3).
 */
@Tag("scaled")
class DamagedStoreTest {

  /** Unused bytes are flipped once in so many. */
  private static final int SPARSE = Integer.getInteger("howdah.damage.sparse", 4099);

  /** Of the bytes that are tried, one in so many is flipped; campaigns flip each. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 5);

  private static final HandStore.Setup SETUP = new HandStore.Setup(2, true, 1L << 40);

  private final Random random = new Random(4);
  private long nonce = 1;

  private HandStore open(SimulatedDisk disk) {
    return HandStore.open(disk.storage(), new SoloExecution(), SETUP, nonce++);
  }

  private static final List<Long> ADDRESSES = List.of(0L, 8L, 4096L, 4104L, 65536L, 131072L);

  private static Map<Long, Long> words(HandStore store) {
    Map<Long, Long> words = new TreeMap<>();
    for (long address : ADDRESSES) {
      words.put(address, store.region().getLong(address));
    }
    return words;
  }

  /** Two generations of which one is closed; in the second two batches and unforced commits. */
  private SimulatedDisk twoGenerations() {
    SimulatedDisk disk = SimulatedDisk.seeded(77);
    HandStore.create(disk.storage(), SETUP);
    HandStore store = open(disk);
    store.commit(0, 0, 1);
    store.log.flush();
    store.commit(1, 8, 2);
    store.log.flush();
    disk.kill();
    store = open(disk);
    store.commit(0, 4096, 3);
    store.log.flush();
    store.commit(1, 4104, 4);
    store.log.flush();
    return disk;
  }

  private SimulatedDisk killed() {
    SimulatedDisk disk = twoGenerations();
    HandStore store = open(disk);
    store.commit(0, 65536, 5);
    store.log.flush();
    store.commit(1, 131072, 6);
    store.commit(0, 8, 7);
    disk.kill();
    return disk;
  }

  private Map<Long, Long> undamaged(SimulatedDisk disk) {
    HandStore store = open(disk.fork());
    return words(store);
  }

  /** What a flipped bit led to. */
  private sealed interface Result {
    record Opened(Map<Long, Long> words, boolean trusted) implements Result {}

    record Refused(HowdahException error) implements Result {}
  }

  private Result flip(SimulatedDisk disk, String file, long offset) {
    SimulatedDisk damaged = disk.fork();
    damaged.flipBit(file, offset, random.nextInt(8));
    try {
      HandStore store = open(damaged);
      return new Result.Opened(
          words(store), !(store.recovered.report().rings() instanceof RingTrust.Untrusted));
    } catch (CorruptStoreException | UnsupportedStoreException e) {
      return new Result.Refused(e);
    }
  }

  /** Offsets to try: of bytes that are not zero and their neighbours, and a few others. */
  private static List<Integer> offsets(byte[] bytes) {
    List<Integer> offsets = new ArrayList<>();
    int number = 0;
    for (int i = 0; i < bytes.length; i++) {
      boolean used = bytes[i] != 0 || (i > 7 && bytes[i - 8] != 0);
      if ((used || i % SPARSE == 0) && number++ % STRIDE == 0) {
        offsets.add(i);
      }
    }
    return offsets;
  }

  private void flipEach(
      SimulatedDisk disk, String file, Map<Long, Long> expected, Predicate<Integer> mayDiffer) {
    for (int offset : offsets(disk.contents(file))) {
      switch (flip(disk, file, offset)) {
        case Result.Opened(Map<Long, Long> words, boolean _) -> {
          if (!mayDiffer.test(offset)) {
            assertThat(words).as("bit flipped in %s at %s", file, offset).isEqualTo(expected);
          }
        }
        case Result.Refused(HowdahException e) ->
            assertThat(e.getMessage()).as("bit flipped in %s at %s", file, offset).isNotEmpty();
      }
    }
  }

  @Test
  void oneDamagedSlotOfTheSuperblockIsNoLoss() {
    SimulatedDisk disk = killed();
    Map<Long, Long> expected = undamaged(disk);
    byte[] bytes = disk.contents(SuperblockFile.NAME);
    for (int offset : offsets(bytes)) {
      Result result = flip(disk, SuperblockFile.NAME, offset);
      assertThat(result).as("at %s", offset).isEqualTo(new Result.Opened(expected, true));
    }
    // Both slots: nothing is guessed.
    SimulatedDisk both = disk.fork();
    both.flipBit(SuperblockFile.NAME, 100, 1);
    both.flipBit(SuperblockFile.NAME, SuperblockLayout.SLOT_LENGTH + 100, 1);
    assertThat(catchThrowableOfType(CorruptStoreException.class, () -> open(both))).isNotNull();
  }

  @Test
  void everyBitOfALogWithItsRingsCounts() {
    SimulatedDisk disk = killed();
    Map<Long, Long> expected = undamaged(disk);
    for (String segment : disk.storage().list("log/0")) {
      flipEach(disk, "log/0/" + segment, expected, _ -> false);
    }
  }

  @Test
  void everyBitOfALogWithItsForceNoteCounts() {
    SimulatedDisk disk = twoGenerations();
    disk.powerCut(CrashChoice.KEEP_ALL);
    Map<Long, Long> expected = undamaged(disk);
    for (String segment : disk.storage().list("log/0")) {
      flipEach(disk, "log/0/" + segment, expected, _ -> false);
    }
  }

  /** The power cut has undone the last notes, too. */
  @Test
  void withoutRingsAndNotesOnlyTheLastBatchCanBeLostUnseen() {
    SimulatedDisk disk = twoGenerations();
    disk.powerCut(CrashChoice.LOSE_ALL);
    Map<Long, Long> expected = undamaged(disk);
    Map<Long, Long> withoutLast = new TreeMap<>(expected);
    withoutLast.put(4104L, 0L);
    int unseen = 0;
    for (String entry : disk.storage().list("log/0")) {
      String segment = "log/0/" + entry;
      for (int offset : offsets(disk.contents(segment))) {
        if (flip(disk, segment, offset) instanceof Result.Opened(Map<Long, Long> words, boolean _)
            && !words.equals(expected)) {
          assertThat(words).as("bit flipped in %s at %s", segment, offset).isEqualTo(withoutLast);
          unseen++;
        }
      }
    }
    // Every byte of the last batch but its padding: 80 of header, 16 of section, 48 of record.
    assertThat(unseen).isBetween(60 / STRIDE, (144 + STRIDE - 1) / STRIDE);
  }

  @Test
  void aDamagedRingLosesRecordsThatOnlyRingsContained() {
    SimulatedDisk disk = killed();
    Map<Long, Long> expected = undamaged(disk);
    Map<Long, Long> forced = new TreeMap<>(expected);
    forced.put(131072L, 0L);
    forced.put(8L, 2L);
    int hidden = 0;
    for (String ring : List.of("rings/0", "rings/1")) {
      for (int offset : offsets(disk.contents(ring))) {
        switch (flip(disk, ring, offset)) {
          case Result.Opened(Map<Long, Long> words, boolean trusted) -> {
            if (!words.equals(expected)) {
              assertThat(words).as("%s at %s", ring, offset).isEqualTo(forced);
              // A tail that shrank to the end of an earlier record leaves no trace.
              boolean tail =
                  offset >= RingLayout.TAIL_OFFSET && offset < RingLayout.TAIL_OFFSET + 8;
              assertThat(trusted && !tail).as("%s at %s", ring, offset).isFalse();
              hidden++;
            }
          }
          case Result.Refused(HowdahException e) ->
              assertThat(offset)
                  .as(e.getMessage())
                  .isBetween(RingLayout.FORCED_OFFSET, RingLayout.FORCED_OFFSET + 7);
        }
      }
    }
    assertThat(hidden).isPositive();
  }

  /** A store that died between journal and fold, its image full of torn pages. */
  private SimulatedDisk journaled() {
    SimulatedDisk disk = twoGenerations();
    HandStore store = open(disk);
    store.commit(0, 65536, 5);
    store.log.flush();
    new Checkpointer(store.storage, store.superblock)
        .journal(store.region(), store.dirty(), store.log.clock());
    try (StorageFile image = disk.storage().open("image", Storage.Access.READ_WRITE)) {
      ByteBuffer garbage = ByteBuffer.allocateDirect(512).order(ByteOrder.LITTLE_ENDIAN);
      for (long address : ADDRESSES) {
        if (store.region().getLong(address) != 0) {
          image.write(address & -4096, garbage.clear().putLong(0, -1));
        }
      }
      image.force();
    }
    disk.kill();
    return disk;
  }

  @Test
  void aDamagedJournalLeavesItToTheCheckpointBeforeAndTheLog() {
    SimulatedDisk disk = journaled();
    Map<Long, Long> expected = undamaged(disk);
    assertThat(expected).containsEntry(0L, 1L).containsEntry(65536L, 5L);
    String journal = "journal/1";
    int abandoned = 0;
    for (int offset : offsets(disk.contents(journal))) {
      SimulatedDisk damaged = disk.fork();
      damaged.flipBit(journal, offset, offset & 7);
      HandStore store = open(damaged);
      assertThat(words(store)).as("at %s", offset).isEqualTo(expected);
      abandoned += store.recovered.report().foldedPages() < 0 ? 1 : 0;
    }
    assertThat(abandoned).isGreaterThan(JournalLayout.CRC_OFFSET / STRIDE);
    SimulatedDisk gone = disk.fork();
    gone.remove(journal);
    SimulatedDisk shorter = disk.fork();
    shorter.truncate(journal, 8000);
    for (SimulatedDisk damaged : List.of(gone, shorter)) {
      HandStore store = open(damaged);
      assertThat(words(store)).isEqualTo(expected);
      assertThat(store.recovered.report().foldedPages()).isEqualTo(-1);
    }
  }

  @Test
  void aJournalThatIsFoldedIsNotNeeded() {
    SimulatedDisk disk = twoGenerations();
    open(disk).closeCleanly();
    Map<Long, Long> expected = undamaged(disk);
    SimulatedDisk gone = disk.fork();
    gone.remove("journal/1");
    assertThat(words(open(gone))).isEqualTo(expected);
    flipEach(disk, "journal/1", expected, _ -> false);
  }

  @Test
  void aMissingOrTruncatedImageIsDamage() {
    SimulatedDisk disk = twoGenerations();
    SimulatedDisk gone = disk.fork();
    gone.remove("image");
    assertThat(catchThrowableOfType(CorruptStoreException.class, () -> open(gone)).file())
        .isEqualTo("image");
    SimulatedDisk shorter = disk.fork();
    shorter.truncate("image", HandStore.REGION_BYTES - 1);
    assertThat(catchThrowableOfType(CorruptStoreException.class, () -> open(shorter)).offset())
        .isEqualTo(HandStore.REGION_BYTES - 1);
  }

  @Test
  void aRefusedStoreIsLeftAsItWas() {
    SimulatedDisk disk = killed();
    String segment = "log/0/" + disk.storage().list("log/0").getFirst();
    disk.flipBit(segment, 4096 + 20, 0);
    Map<String, byte[]> before = contents(disk);
    assertThat(catchThrowableOfType(CorruptStoreException.class, () -> open(disk))).isNotNull();
    Map<String, byte[]> after = contents(disk);
    assertThat(after.keySet()).isEqualTo(before.keySet());
    after.forEach((name, bytes) -> assertThat(bytes).as(name).isEqualTo(before.get(name)));
    disk.flipBit(segment, 4096 + 20, 0);
    assertThat(words(open(disk))).containsEntry(8L, 7L);
  }

  private static Map<String, byte[]> contents(SimulatedDisk disk) {
    Map<String, byte[]> contents = new TreeMap<>();
    Storage storage = disk.storage();
    for (String directory : List.of("log/0", "journal", "rings")) {
      for (String name : storage.list(directory)) {
        contents.put(directory + "/" + name, disk.contents(directory + "/" + name));
      }
    }
    contents.put(SuperblockFile.NAME, disk.contents(SuperblockFile.NAME));
    contents.put("image", disk.contents("image"));
    return contents;
  }
}
