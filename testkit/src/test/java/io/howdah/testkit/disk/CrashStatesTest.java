package io.howdah.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The enumeration gives what it says it gives. */
class CrashStatesTest {

  /** A file of so many sectors, durable with ones, each overwritten with twos. */
  private static SimulatedDisk dirtySectors(int sectors) {
    SimulatedDisk disk = SimulatedDisk.seeded(2);
    Bytes.durable(disk.storage(), "f", sectors * 512, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    for (int i = 0; i < sectors; i++) {
      file.write(i * 512L, Bytes.filled(512, 2));
    }
    return disk;
  }

  /** Returns which sectors are new, as bits. */
  private static long newSectors(SimulatedDisk disk, CrashChoice choice) {
    SimulatedDisk left = disk.fork();
    left.powerCut(choice);
    byte[] contents = left.contents("f");
    long bits = 0;
    for (int i = 0; i < contents.length / 512; i++) {
      bits |= contents[i * 512] == 2 ? 1L << i : 0;
    }
    return bits;
  }

  @Test
  void allSubsetsOfTwelveAtoms() {
    SimulatedDisk disk = dirtySectors(12);
    CrashStates states = disk.crashStates();
    assertThat(states.atoms()).isEqualTo(12);
    assertThat(states.isExhaustive()).isTrue();
    assertThat(states.count()).isEqualTo(4096);
    Set<Long> seen = new HashSet<>();
    for (CrashChoice choice : states.choices(5000)) {
      seen.add(newSectors(disk, choice));
    }
    assertThat(seen).hasSize(4096);
    assertThatThrownBy(() -> states.choice(4096)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  /** Where a file grows, a unit that was written may be stale, and a hole beside it may not. */
  @Test
  void onlyUnitsThatWereWrittenAreAtoms() {
    SimulatedDisk disk = SimulatedDisk.builder(2).unit(CrashUnit.WORD).build();
    Bytes.durable(disk.storage(), "f", 4096, 1);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.write(4096 + 3 * 8, Bytes.filled(8, 2));
    assertThat(disk.crashStates().atoms()).as("the length, word 3").isEqualTo(2);
    // Units are marked 64 at a time: words 126 to 129 are of two such groups.
    file.write(4096 + 126 * 8, Bytes.filled(4 * 8, 2));
    assertThat(disk.crashStates().atoms()).as("the length, five words").isEqualTo(6);
  }

  @Test
  void beyondTwelveAtomsTheOnesThatMatter() {
    int k = 20;
    long all = (1L << k) - 1;
    SimulatedDisk disk = dirtySectors(k);
    CrashStates states = disk.crashStates();
    assertThat(states.isExhaustive()).isFalse();
    Set<Long> seen = new HashSet<>();
    for (long index = 0; index < states.count(); index++) {
      seen.add(newSectors(disk, states.choice(index)));
    }
    assertThat(seen).contains(0L, all);
    for (int i = 0; i < k; i++) {
      assertThat(seen).contains((1L << i) - 1, 1L << i, all & ~(1L << i));
      for (int j = 0; j < i; j++) {
        assertThat(seen).contains(1L << i | 1L << j, all & ~(1L << i | 1L << j));
      }
    }
    int structured = seen.size();
    for (int i = 0; i < 100; i++) {
      seen.add(newSectors(disk, states.choice(states.count() + i)));
    }
    assertThat(seen).hasSizeGreaterThan(structured + 30);
  }

  @Test
  void aSampleHasTheExtremesAndNeverMoreThanAskedFor() {
    CrashStates states = dirtySectors(100).crashStates();
    for (int max : new int[] {0, 1, 2, 3, 10, 1000, 100_000}) {
      List<CrashChoice> choices = states.choices(max);
      assertThat(choices).hasSize(max).doesNotHaveDuplicates();
      if (max >= 2) {
        assertThat(choices).contains(CrashChoice.LOSE_ALL, CrashChoice.KEEP_ALL);
      }
    }
  }

  @Test
  void theSameChoiceGivesTheSameBytes() {
    SimulatedDisk disk = dirtySectors(40);
    for (CrashChoice choice : disk.crashStates().choices(100)) {
      CrashChoice read = CrashChoice.parse(choice.toString());
      assertThat(read).isEqualTo(choice);
      assertThat(newSectors(disk, read)).isEqualTo(newSectors(disk, choice));
    }
  }

  @Test
  void theStatesAreThoseOfTheMomentTheyWereAskedFor() {
    SimulatedDisk disk = dirtySectors(3);
    CrashStates before = disk.crashStates();
    disk.storage().open("f", Access.READ_WRITE).force();
    assertThat(before.atoms()).isEqualTo(3);
    assertThat(disk.crashStates().atoms()).isZero();
  }

  @Test
  void whatIsWrittenAgainWithTheSameBytesIsNoAtom() {
    SimulatedDisk disk = dirtySectors(3);
    StorageFile file = disk.storage().open("f", Access.READ_WRITE);
    file.force();
    file.write(0, Bytes.filled(3 * 512, 2));
    assertThat(disk.crashStates().atoms()).isZero();
  }

  @Test
  void wrongTextIsNoChoice() {
    for (String wrong : new String[] {"", "1", "x.y", "1.", "-1.2"}) {
      assertThatThrownBy(() -> CrashChoice.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /**
   * Random histories: the quick count agrees with the values, and the durable value is the oldest.
   */
  @ParameterizedTest
  @EnumSource(CrashUnit.class)
  void theQuickCountAgreesWithTheValues(CrashUnit unit) {
    SplittableRandom random = new SplittableRandom(5);
    for (int round = 0; round < 100; round++) {
      DiskModel model = new DiskModel(true, unit, 3, FailedForce.UNKNOWN_FOR_EVER);
      FileSystem files = new FileSystem(model, 1, 1, 1000);
      files.usedBefore(random);
      Inode inode = files.create("f", false);
      Object underWay = null;
      for (int i = 0; i < 30; i++) {
        int length = 8 << random.nextInt(8);
        int from = random.nextInt((4096 - length) / 8 + 1) * 8;
        switch (random.nextInt(6)) {
          case 0 -> files.setSize(inode, random.nextInt(3) * 3000L);
          case 1 -> {
            if (underWay == null) {
              underWay = inode.beginForce();
            } else {
              if (random.nextBoolean()) {
                inode.completeForce(underWay);
              } else {
                inode.failForce(underWay);
              }
              underWay = null;
            }
          }
          default -> {
            try {
              byte[] page = files.touch(inode, random.nextInt(2), from, length);
              Arrays.fill(page, from, from + length, (byte) random.nextInt(3));
            } catch (FileSystem.NoSpace e) {
              throw new AssertionError(e);
            }
          }
        }
      }
      checkCounts(inode, unit);
    }
  }

  private static void checkCounts(Inode inode, CrashUnit unit) {
    for (long extendedFrom : new long[] {0, 4096, 8192}) {
      for (int page = 0; page < 2; page++) {
        for (int u = 0; u < 4096 / unit.bytes(); u++) {
          List<byte[]> values = inode.possibleValues(page, u, extendedFrom);
          assertThat(inode.countPossibleValues(page, u, extendedFrom)).isEqualTo(values.size());
          if (!values.isEmpty()) {
            byte[] target = new byte[4096];
            inode.copyDurable(page, u, target);
            assertThat(Arrays.copyOfRange(target, u * unit.bytes(), (u + 1) * unit.bytes()))
                .isEqualTo(values.getFirst());
          }
        }
      }
    }
  }

  @Test
  void aForkIsIndependent() {
    SimulatedDisk disk = dirtySectors(3);
    SimulatedDisk fork = disk.fork();
    Storage storage = fork.storage();
    storage.open("f", Access.READ_WRITE).write(0, Bytes.filled(1536, 7));
    storage.open("f", Access.READ_WRITE).force();
    storage.delete("f");
    disk.storage().open("f", Access.READ_WRITE).write(512, Bytes.filled(512, 8));
    assertThat(disk.contents("f")[0]).isEqualTo((byte) 2);
    assertThat(disk.contents("f")[512]).isEqualTo((byte) 8);
    fork.powerCut(CrashChoice.LOSE_ALL);
    assertThat(fork.contents("f")).isEqualTo(Bytes.array(1536, 7));
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(disk.contents("f")).isEqualTo(Bytes.array(1536, 1));
  }
}
