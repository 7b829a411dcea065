package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.BatchId;
import io.howdah.log.recovery.LogShortcut;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes of a summary of the log, and which summaries an opening takes. */
class LogSummaryTest {

  private static final long[] HEADER = new long[LogSummaryLayout.REGION_HEADER_LENGTH / Long.BYTES];

  private static final LogShortcut OLDER =
      new LogShortcut(3, 8, 15, 0, 900, 901, new BatchId(15, 0x01020304));

  private static final LogShortcut NEWER =
      new LogShortcut(3, 9, 17, 0, 1000, 1004, new BatchId(18, 0xA1A2A3A4));

  private final SimulatedDisk disk = SimulatedDisk.builder(1).build();

  private static Superblock superblock(long generation, long oldestSegment) {
    return new Superblock(
        new StoreId(0x1122334455667788L, 0x99AABBCCDDEEFF00L),
        0,
        new Geometry(2, 1 << 16, 1 << 20, 1 << 10, 32, 4096),
        1,
        generation,
        10,
        false,
        new RingPlacement.StoreDirectory(77),
        new LogState(oldestSegment, oldestSegment, 1),
        CheckpointState.NONE,
        List.of());
  }

  private void write(LogShortcut shortcut, int file) {
    disk.storage().createDirectory("log");
    long[] header = HEADER.clone();
    header[0] = 0x0102030405060708L;
    new LogSummary(shortcut, header, new long[] {5, -1})
        .write(disk.storage(), superblock(3, 4), file);
  }

  @Test
  void bytes() {
    write(NEWER, 0);
    byte[] bytes = disk.contents("log/summary-0");
    assertThat(bytes).hasSize((int) LogSummaryLayout.length(2));
    byte[] head = Arrays.copyOf(bytes, LogSummaryLayout.REGION_HEADER_OFFSET + 8);
    Arrays.fill(head, LogSummaryLayout.CRC_OFFSET, LogSummaryLayout.CRC_OFFSET + 4, (byte) 0);
    assertThat(HexFormat.of().formatHex(head))
        .isEqualTo(
            "4857444c4753554d" // magic
                + "0100000000100000" // version, 4096 bytes in a page
                + "8877665544332211" // store
                + "00ffeeddccbbaa99"
                + "0300000000000000" // generation
                + "0900000000000000" // segment
                + "1100000000000000" // batch
                + "e803000000000000" // replay above
                + "ec03000000000000" // image
                + "0200000000000000" // words of the map
                + "1200000000000000" // last batch
                + "0000000000000000" // since
                + "a4a3a2a100000000" // its checksum, checksum left out
                + "0807060504030201"); // the region's first word
    assertThat(HexFormat.of().formatHex(bytes, LogSummaryLayout.MAP_OFFSET, bytes.length))
        .isEqualTo("0500000000000000" + "ffffffffffffffff");
  }

  @Test
  void theNewestOfTheGenerationsThatAreThereIsTaken() {
    write(NEWER, 0);
    write(OLDER, 1);
    LogSummary found = LogSummary.newest(disk.storage(), superblock(3, 4));
    assertThat(found).isNotNull();
    assertThat(found.shortcut()).isEqualTo(NEWER);
    assertThat(found.header()[0]).isEqualTo(0x0102030405060708L);
    assertThat(found.map()).containsExactly(5, -1);
    assertThat(LogSummary.newest(disk.storage(), superblock(4, 4))).isNull();
    assertThat(LogSummary.newest(disk.storage(), superblock(3, 9))).isNull();
    LogSummary.deleteAll(disk.storage());
    assertThat(LogSummary.newest(disk.storage(), superblock(3, 4))).isNull();
  }

  @ParameterizedTest
  @EnumSource(names = {"EXISTS", "OPEN", "READ"})
  void oneThatCannotBeReadIsNone(Operation operation) {
    write(NEWER, 0);
    write(OLDER, 1);
    disk.inject(Fault.onNth(operation, 1));
    LogSummary found = LogSummary.newest(disk.storage(), superblock(3, 4));
    assertThat(found).isNotNull();
    assertThat(found.shortcut()).isEqualTo(OLDER);
    disk.inject(Fault.onNth(operation, 1).forEver());
    assertThat(LogSummary.newest(disk.storage(), superblock(3, 4))).isNull();
  }

  @Test
  void theyAreDeletedDurablyAndMoreThanOnceAndPerhapsNot() {
    write(NEWER, 0);
    write(OLDER, 1);
    disk.storage().forceDirectory("log");
    disk.inject(Fault.onNth(Operation.DELETE, 1));
    disk.inject(Fault.onNth(Operation.FORCE_DIRECTORY, 1));
    LogSummary.deleteAll(disk.storage());
    assertThat(disk.storage().exists("log/summary-0")).isTrue();
    assertThat(disk.storage().exists("log/summary-1")).isFalse();
    LogSummary.deleteAll(disk.storage());
    LogSummary.deleteAll(disk.storage());
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(disk.storage().exists("log/summary-0")).isFalse();
  }

  /** What a write leaves that was cut short anywhere is no summary. */
  @Test
  void oneThatWasBeingOverwrittenIsNone() {
    write(OLDER, 0);
    byte[] before = disk.contents("log/summary-0");
    write(NEWER, 0);
    byte[] after = disk.contents("log/summary-0");
    try (StagingMemory memory = new StagingMemory();
        StorageFile file = disk.storage().open("log/summary-0", Storage.Access.READ_WRITE)) {
      for (int cut = 8; cut < before.length - 16; cut += cut < 96 ? 8 : 512) {
        byte[] mixed = before.clone();
        System.arraycopy(after, 0, mixed, 0, cut);
        boolean whole = Arrays.equals(mixed, before) || Arrays.equals(mixed, after);
        file.write(0, memory.allocate(mixed.length).put(mixed).flip());
        assertThat(LogSummary.newest(disk.storage(), superblock(3, 4)) == null)
            .as("%d", cut)
            .isEqualTo(!whole);
      }
    }
  }

  @Test
  void anyBitThatIsWrongIsNoticed() {
    write(NEWER, 0);
    int length = disk.contents("log/summary-0").length;
    for (int at = 0; at < length; at += at < 96 ? 1 : 97) {
      disk.flipBit("log/summary-0", at, at % 8);
      assertThat(LogSummary.newest(disk.storage(), superblock(3, 4))).as("%d", at).isNull();
      disk.flipBit("log/summary-0", at, at % 8);
    }
    disk.truncate("log/summary-0", length - 1);
    assertThat(LogSummary.newest(disk.storage(), superblock(3, 4))).isNull();
  }
}
