package io.howdah.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is judged without a run is judged as a run would: a small store with two slots and a journal
 * of its values, right and with mistakes, on every disk, at every crash, in every legal state.
 */
class RecoveryMemoTest {

  private static final int VALUES = 3;
  private static final int VALUE_BYTES = 1024;
  private static final CrashKind[] KINDS = {CrashKind.KILL, CrashKind.POWER_CUT};

  /** What the program forgets. */
  enum Mistake {
    NONE,
    HEAD_BEFORE_VALUE,
    VALUE_NOT_FORCED,
    ONLY_ITS_BEGINNING_IS_CHECKED
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer value(long n) {
    ByteBuffer value = buffer(VALUE_BYTES);
    while (value.hasRemaining()) {
      value.putLong(n);
    }
    return value.flip();
  }

  /** Writes values to two slots in turn, and which one counts to a head. */
  private static void work(Storage storage, Mistake mistake) {
    StorageFile file = storage.create("slots");
    storage.forceDirectory("");
    for (long n = 1; n <= VALUES; n++) {
      ByteBuffer head = buffer(8).putLong(0, n);
      if (mistake == Mistake.HEAD_BEFORE_VALUE) {
        file.write(0, head);
        file.force();
      }
      file.write(4096 * (1 + n % 2), value(n));
      if (mistake != Mistake.VALUE_NOT_FORCED) {
        file.force();
      }
      if (mistake != Mistake.HEAD_BEFORE_VALUE) {
        file.write(0, head);
        file.force();
      }
    }
  }

  /** Returns what it finds, in words. */
  private static String recover(Storage storage, Mistake mistake) {
    if (!storage.exists("slots")) {
      return "nothing";
    }
    StorageFile file = storage.open("slots", Access.READ_WRITE);
    ByteBuffer head = buffer(8);
    if (file.read(0, head) < 8 || head.getLong(0) == 0) {
      return "no head";
    }
    long n = head.getLong(0);
    int bytes = mistake == Mistake.ONLY_ITS_BEGINNING_IS_CHECKED ? 8 : VALUE_BYTES;
    ByteBuffer slot = buffer(bytes);
    int length = file.read(4096 * (1 + n % 2), slot);
    slot.flip();
    while (slot.hasRemaining() && slot.remaining() >= 8) {
      if (slot.getLong() != n) {
        return "torn " + n;
      }
    }
    // What it writes itself it may read without having read what was there.
    file.write(8192 * 2, value(n));
    ByteBuffer own = buffer(VALUE_BYTES);
    file.read(8192 * 2, own);
    return (length < bytes ? "short " : "value ") + own.getLong(0);
  }

  private static SimulatedDisk died(CrashUnit unit, Mistake mistake, CrashPoint point) {
    SimulatedDisk disk = SimulatedDisk.builder(7).unit(unit).build();
    disk.disturbAt(point);
    try {
      work(disk.storage(), mistake);
    } catch (SimulatedCrash e) {
      assertThat(disk.hasCrashed()).isTrue();
    }
    return disk;
  }

  @ParameterizedTest
  @CsvSource({
    "WORD,NONE",
    "SECTOR,NONE",
    "PAGE,NONE",
    "SECTOR,HEAD_BEFORE_VALUE",
    "SECTOR,VALUE_NOT_FORCED",
    "WORD,VALUE_NOT_FORCED",
    "SECTOR,ONLY_ITS_BEGINNING_IS_CHECKED"
  })
  void whatIsKnownIsWhatARunFinds(CrashUnit unit, Mistake mistake) {
    RecoveryMemo<String> memo = new RecoveryMemo<>();
    Set<String> pruned = new TreeSet<>();
    Set<String> all = new TreeSet<>();
    int runs = 0;
    int states = 0;
    long operations = died(unit, mistake, CrashPoint.END).operations();
    for (long n = 1; n <= operations; n++) {
      for (CrashMoment moment : CrashMoment.values()) {
        CrashPoint point = new CrashPoint(CrashPoint.Where.OPERATION, n, moment);
        SimulatedDisk crashed = died(unit, mistake, point);
        for (CrashKind kind : KINDS) {
          RecoveryMemo.At<String> at = memo.at(crashed, point, kind, 1);
          for (CrashChoice choice : at.states().choices(kind.losesUnforced() ? 64 : 1)) {
            String found = recover(at.leave(choice).disk().storage(), mistake);
            String known = at.find(choice);
            if (known == null) {
              RecoveryMemo.Left left = at.leave(choice);
              known = recover(left.disk().storage(), mistake);
              at.learn(choice, left, known);
              runs++;
            }
            assertThat(known).as("%s %s %s", point, kind, choice).isEqualTo(found);
            pruned.add(known);
            all.add(found);
            states++;
          }
        }
      }
    }
    assertThat(pruned).isEqualTo(all).contains("value 1", "value 2", "value 3");
    assertThat(pruned.stream().anyMatch(found -> found.startsWith("torn")))
        .isEqualTo(mistake == Mistake.HEAD_BEFORE_VALUE || mistake == Mistake.VALUE_NOT_FORCED);
    assertThat(runs).isLessThan(states / 2);
  }

  @Test
  void aRecoveryThatIsNoFunctionOfWhatItReadsIsNoticed() {
    RecoveryMemo<String> memo = new RecoveryMemo<>();
    CrashPoint point = CrashPoint.END;
    SimulatedDisk crashed = died(CrashUnit.SECTOR, Mistake.NONE, point);
    RecoveryMemo.At<String> at = memo.at(crashed, point, CrashKind.KILL, 1);
    RecoveryMemo.Left left = at.leave(CrashChoice.KEEP_ALL);
    recover(left.disk().storage(), Mistake.NONE);
    at.learn(CrashChoice.KEEP_ALL, left, "as it should");
    RecoveryMemo.Left other = at.leave(CrashChoice.KEEP_ALL);
    other.disk().storage().open("slots", Access.READ).read(4096, buffer(8));
    assertThatThrownBy(() -> at.learn(CrashChoice.KEEP_ALL, other, "otherwise"))
        .hasMessageContaining("no function of what it reads");
  }

  @Test
  void aPrivateCopyKeepsWhatTheFileHeld() {
    SimulatedDisk crashed = died(CrashUnit.SECTOR, Mistake.NONE, CrashPoint.END);
    RecoveryMemo<String> memo = new RecoveryMemo<>();
    RecoveryMemo.At<String> at = memo.at(crashed, CrashPoint.END, CrashKind.KILL, 1);
    RecoveryMemo.Left left = at.leave(CrashChoice.KEEP_ALL);
    Storage storage = left.disk().storage();
    var region = storage.mapPrivate("slots", 4 * 4096);
    region.setLong(4096, -1);
    assertThat(left.reads()).isZero();
    storage.open("slots", Access.READ_WRITE).write(4096, value(9));
    // Its page was copied before: the sector still shows what the crash left.
    assertThat(region.getLong(4096 + 8)).isEqualTo(2);
    assertThat(left.reads()).isEqualTo(1);
    assertThat(region.getLong(4096 + 512)).isEqualTo(2);
    assertThat(left.reads()).isEqualTo(2);
  }
}
