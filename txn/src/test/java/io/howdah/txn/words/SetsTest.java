package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Read set, write set and list of locks against maps. */
final class SetsTest {

  @Test
  void aWriteSetIsAMapInTheOrderOfFirstWrites() {
    WriteSet writes = new WriteSet();
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 400; round++) {
      Map<Long, Long> model = new LinkedHashMap<>();
      int puts = round % 50 == 0 ? 20_000 : random.nextInt(300);
      int range = 1 + random.nextInt(2 * puts + 1);
      for (int i = 0; i < puts; i++) {
        long address = 8L * random.nextInt(range);
        long value = random.nextLong();
        writes.put(address, value);
        model.put(address, value);
      }
      assertThat(writes.count()).isEqualTo(model.size());
      int entry = 0;
      for (Map.Entry<Long, Long> e : model.entrySet()) {
        assertThat(writes.address(entry)).isEqualTo(e.getKey());
        assertThat(writes.value(entry)).isEqualTo(e.getValue());
        assertThat(writes.mayContain(e.getKey())).isTrue();
        assertThat(writes.find(e.getKey())).isEqualTo(entry);
        entry++;
      }
      for (int i = 0; i < 100; i++) {
        long address = 8L * (range + random.nextInt(1000));
        assertThat(writes.find(address)).isEqualTo(-1);
      }
      if (random.nextBoolean()) {
        writes.clear();
      } else {
        writes.trim();
      }
      assertThat(writes.count()).isZero();
      assertThat(writes.mayContain(0)).isFalse();
      assertThat(writes.find(0)).isEqualTo(-1);
    }
  }

  @Test
  void aReadSetKeepsEveryOrecAndStaysBounded() {
    ReadSet reads = new ReadSet(() -> {});
    SplittableRandom random = new SplittableRandom(4);
    int orecs = 3000;
    boolean[] seen = new boolean[orecs];
    for (int i = 0; i < 500_000; i++) {
      int orec = random.nextInt(orecs);
      reads.add(8L * orec, 100 + orec);
      seen[orec] = true;
      assertThat(reads.count()).isLessThanOrEqualTo(4 * orecs);
    }
    boolean[] found = new boolean[orecs];
    for (int i = 0; i < reads.count(); i++) {
      int orec = (int) (reads.orec(i) / 8);
      assertThat(reads.seen(i)).isEqualTo(100 + orec);
      found[orec] = true;
    }
    assertThat(found).isEqualTo(seen);
    reads.trim();
    assertThat(reads.count()).isZero();
  }

  @Test
  void aListOfLocksHoldsAsManyAsItsCapacity() {
    OrecLocks locks = new OrecLocks(table());
    for (int capacity : new int[] {1, 64, 65, 127, 128, 129, 5000, 3}) {
      locks.clear(capacity);
      for (int i = 0; i < capacity; i++) {
        locks.prepare(8L * i, i);
        locks.confirm();
      }
      assertThat(locks.count()).isEqualTo(capacity);
      assertThat(locks.orec(capacity - 1)).isEqualTo(8L * (capacity - 1));
      assertThat(locks.former(capacity - 1)).isEqualTo(capacity - 1);
      locks.trim();
      assertThat(locks.count()).isZero();
    }
  }

  /** The error comes between the compare-and-set of an orec and its confirmation. */
  @Test
  void anOrecThatIsLockedAndNotConfirmedIsRestoredAfterAnError() {
    OrecTable orecs = table();
    OrecLocks locks = new OrecLocks(orecs);
    int partition = 5;
    locks.clear(3);
    for (int orec = 0; orec < 3; orec++) {
      orecs.setRelease(orec, OrecTable.unlocked(100 + orec));
      locks.prepare(orec, OrecTable.unlocked(100 + orec));
      orecs.setRelease(orec, OrecTable.locked(orec, partition));
      if (orec < 2) {
        locks.confirm();
      }
    }
    long takenByAnother = OrecTable.locked(0, partition + 1);
    orecs.setRelease(0, takenByAnother); // as if the first orec had been restored before
    locks.restoreAfterError(partition);
    assertThat(orecs.getOpaque(0)).isEqualTo(takenByAnother);
    assertThat(orecs.getOpaque(1)).isEqualTo(OrecTable.unlocked(101));
    assertThat(orecs.getOpaque(2)).isEqualTo(OrecTable.unlocked(102));
  }

  private static OrecTable table() {
    return OrecTable.create(
        OrecTable.MIN_ORECS,
        true,
        _ -> {
          throw new AssertionError("the table is on the heap");
        });
  }

  @Test
  void orecsCarryVersionsOwnersAndIndices() {
    for (int lane : new int[] {0, 1, 127, 255}) {
      for (int index : new int[] {0, 1, 255, 256, 1 << 23}) {
        long locked = OrecTable.locked(index, lane);
        assertThat(OrecTable.isLocked(locked)).isTrue();
        assertThat(OrecTable.lockIndex(locked)).isEqualTo(index);
        for (int other : new int[] {0, 1, 127, 255}) {
          assertThat(OrecTable.isLockedBy(locked, other)).isEqualTo(other == lane);
        }
      }
      long unlocked = OrecTable.unlocked(77L << 8 | lane);
      assertThat(OrecTable.isLocked(unlocked)).isFalse();
      assertThat(OrecTable.isLockedBy(unlocked, lane)).isFalse();
      assertThat(OrecTable.version(unlocked)).isEqualTo(77L << 8 | lane);
      assertThat(unlocked).isLessThanOrEqualTo(OrecTable.limit(77));
      assertThat(unlocked).isGreaterThan(OrecTable.limit(76));
    }
  }
}
