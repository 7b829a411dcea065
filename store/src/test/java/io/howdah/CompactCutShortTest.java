package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.Tx;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A compaction that is cut short, by a kill or a power cut, at each of its file operations leaves a
 * store with all its words, and may be repeated.
 */
@Tag("scaled")
final class CompactCutShortTest {

  private static final int WORDS = 3_000;
  private static final int ZEROS_FROM = 700;
  private static final int ZEROS_TO = 2_500;
  private static final int DRAWN = 1;
  private static final int BLOCKS = 24;
  private static final int PAGE = 4096;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
          .withVerifyImage(true);

  /** A closed store whose image has pages of zeros in its middle, and a log that is not needed. */
  private static SimulatedDisk source() {
    SimulatedDisk disk = SimulatedDisk.builder(7).build();
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      store.run(tx -> tx.root(0, tx.allocate(8L * WORDS)));
      store.run(tx -> put(tx, 0, WORDS, 1));
      store.run(tx -> put(tx, ZEROS_FROM, ZEROS_TO, 0));
      removed(store);
    }
    disk.kill();
    return disk;
  }

  /** Fills the store up behind the words with blocks that are freed again, but for two. */
  private static void removed(Store store) {
    List<Long> blocks = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      int block = i;
      blocks.add(
          store.call(
              tx -> {
                long address = tx.allocate(block % 3 == 0 ? 9_000 : 200 + 100 * (block % 7));
                for (int word = 0; word < 20; word++) {
                  tx.putLong(address + 8L * word, -1);
                }
                return address;
              }));
    }
    store.run(tx -> tx.root(1, blocks.get(BLOCKS / 2)));
    for (long block : blocks) {
      if (block != blocks.get(BLOCKS / 2)) {
        store.run(tx -> tx.free(block));
      }
    }
  }

  private static void put(Tx tx, int from, int to, int factor) {
    for (int i = from; i < to; i++) {
      tx.putLong(tx.root(0) + 8L * i, (long) factor * (i + 1));
    }
  }

  private static void compact(Storage storage) {
    StoreBackups.compact(storage, OPTIONS.execution());
  }

  private static void requireWhole(SimulatedDisk disk, String when) {
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      List<Integer> wrong =
          store.read(
              tx -> {
                List<Integer> found = new ArrayList<>();
                for (int i = 0; i < WORDS; i++) {
                  long expected = i >= ZEROS_FROM && i < ZEROS_TO ? 0 : i + 1;
                  if (tx.getLong(tx.root(0) + 8L * i) != expected) {
                    found.add(i);
                  }
                }
                return found;
              });
      assertThat(wrong).as(when).isEmpty();
      long kept = store.read(tx -> tx.getLong(tx.root(1) + 8));
      assertThat(kept).as(when).isEqualTo(-1);
      requireZeros(store, when);
      store.run(tx -> tx.putLong(tx.root(0), 1));
    }
  }

  /** Whether the image has the words and little else, and ends soon behind the last block. */
  private static void requireSmall(Storage storage) {
    int pages = 0;
    long last = 0;
    ByteBuffer page = ByteBuffer.allocateDirect(PAGE).order(ByteOrder.LITTLE_ENDIAN);
    try (StorageFile image = storage.open("image", Storage.Access.READ)) {
      for (long at = 0; at < OPTIONS.maxSize(); at += PAGE) {
        image.read(at, page.clear());
        for (int i = 0; i < PAGE; i += 8) {
          if (page.getLong(i) != 0) {
            pages++;
            last = at + PAGE;
            break;
          }
        }
      }
    }
    // Words that are not zero, the two pages of the header, and that of the block that stays.
    assertThat(pages).isBetween(5, 8 * (WORDS - ZEROS_TO + ZEROS_FROM) / PAGE + 6);
    try (SuperblockFile superblock = SuperblockFile.open(storage)) {
      assertThat(new Checkpointer(storage, superblock).imageEnd()).isBetween(last, last + 8 * PAGE);
    }
    assertThat(storage.list("log/0")).isEmpty();
  }

  /** Whether all that can be allocated reads as zeros; the store is as before. */
  private static void requireZeros(Store store, String when) {
    try {
      store.run(
          tx -> {
            while (true) {
              long block = tx.allocate(1 << 13);
              for (long at = block; at < block + (1 << 13); at += 8) {
                assertThat(tx.getLong(at)).as(when).isZero();
              }
            }
          });
    } catch (RegionFullException e) {
      // All was looked at, and nothing taken.
    }
  }

  /** The half of an image would take room on the disk that was too short for the whole. */
  @Test
  void aCompactionThatFailsLeavesNoHalfImage() {
    SimulatedDisk source = source();
    for (Operation operation : List.of(Operation.WRITE, Operation.SET_SIZE, Operation.FORCE)) {
      SimulatedDisk disk = source.fork();
      disk.inject(
          Fault.onNth(operation, 1)
              .in("image.compact")
              .with(StorageException.Reason.NO_SPACE)
              .forEver());
      assertThatThrownBy(() -> compact(disk.storage()))
          .as("%s", operation)
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.NO_SPACE));
      assertThat(disk.storage().list("")).as("%s", operation).doesNotContain("image.compact");
      disk.kill();
      compactAndRequireWhole(disk, "after a failure");
    }
  }

  @Test
  void everyStateThatACutLeavesHasAllWordsAndCanBeCompacted() {
    SimulatedDisk source = source();
    SimulatedDisk whole = source.fork();
    long before = whole.operations();
    compact(whole.storage());
    long operations = whole.operations() - before;
    assertThat(operations).isBetween(60L, 300L);
    requireSmall(whole.storage());
    whole.kill();
    requireWhole(whole, "compacted");
    Random random = new Random(8);
    for (CrashMoment moment : CrashMoment.values()) {
      for (long operation = OperationSample.first(moment);
          operation <= operations;
          operation += OperationSample.STRIDE) {
        SimulatedDisk cut = source.fork();
        cut.crashAtOperation(cut.operations() + operation, moment);
        try {
          compact(cut.storage());
        } catch (SimulatedCrash e) {
          // As it should be; an operation without a middle ends before or behind it.
        }
        String when = "operation " + operation + ", " + moment;
        SimulatedDisk killed = cut.fork();
        killed.kill();
        compactAndRequireWhole(killed, when + ", killed");
        SimulatedDisk lost = cut.fork();
        lost.powerCut(CrashChoice.LOSE_ALL);
        requireWhole(lost, when + ", all lost");
        for (int i = 0; i < DRAWN; i++) {
          SimulatedDisk drawn = cut.fork();
          CrashStates states = drawn.crashStates();
          drawn.powerCut(states.choice((long) (random.nextDouble() * states.count())));
          compactAndRequireWhole(drawn, when + ", drawn " + i);
        }
      }
    }
  }

  /** Repeats the compaction, or opens at once, by turns. */
  private static void compactAndRequireWhole(SimulatedDisk disk, String when) {
    if (when.hashCode() % 2 == 0) {
      compact(disk.storage());
      disk.kill();
    }
    requireWhole(disk, when);
  }
}
