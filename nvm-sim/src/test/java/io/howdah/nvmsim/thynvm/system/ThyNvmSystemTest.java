package io.howdah.nvmsim.thynvm.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.howdah.nvmsim.thynvm.SchemePolicy;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ThyNvmSystemTest {
  private static final int LINES = 3000;

  private final ThyNvmSystem memory = ThyNvmSetting.PAPER.system(MemoryTiming.PAPER);

  @Test
  void theTablesAreAsLargeAsThePaperSays() {
    assertThat(ThyNvmSetting.PAPER.tableBytes()).isEqualTo(37_632);
    assertThat(ThyNvmSetting.PAPER.backupBytes()).isEqualTo(49_152);
  }

  @Test
  void explicitPersistenceEndsTheEpochAndWaitsForItsCheckpoint() {
    Core core = new Core(memory, true);
    core.store(64);
    long before = memory.controller().epoch();
    core.persistNow();
    assertThat(memory.controller().epoch()).isEqualTo(before + 1);
    assertThat(memory.controller().isCheckpointing()).isFalse();
    assertThat(memory.stats().cpuBlocks()).isEqualTo(1);
  }

  /** A power failure loses at most the epoch and the one being checkpointed. */
  @Test
  void anEpochLastsNoLongerThanItsLimit() {
    ThyNvmSystem limited = ThyNvmSetting.PAPER.withEpochPs(1_000_000).system(MemoryTiming.PAPER);
    long now = 0;
    for (int i = 0; i < LINES; i++) {
      now = limited.read(now + 100_000, i);
    }
    long epochs = limited.controller().epoch();
    assertThat(epochs).isGreaterThan(10);
  }

  @Test
  void anEpochEndsInTimeAlsoIfTheProgramStaysInItsCaches() {
    StopTheWorld journal = StopTheWorld.journal(MemoryTiming.PAPER, 10_000_000_000L, 6144);
    for (MemorySystem system : List.of(memory, journal)) {
      Core core = new Core(system, true);
      core.store(64);
      for (int ms = 0; ms < 35; ms++) {
        core.work(600_000); // a millisecond
        core.store(64);
      }
      assertThat(system.stats().checkpoints()).as("%s", system).isEqualTo(3);
      assertThat(system.stats().cpuBlocks()).as("%s", system).isEqualTo(3);
    }
  }

  /** Changed lines of the caches and written entries together never exceed the BTT. */
  @Test
  void aFlushFitsTheBlockTable() {
    Core core = new Core(memory, true);
    for (int i = 0; i < LINES; i++) {
      core.store(i * 64L);
      assertThat(memory.controller().blockTable().written()).isLessThanOrEqualTo(2048);
    }
    assertThat(memory.controller().epoch()).isEqualTo(2);
    assertThat(memory.stats().waitStallPs()).isZero();
  }

  /** What lies behind is the controller's own: DRAM, and the slots of versions. */
  @Test
  void linesBehindThePhysicalAddressSpaceAreRefused() {
    memory.attach(DirtyLines.NONE);
    memory.read(0, ThyNvmSetting.HOME_BLOCKS - 1);
    for (long line : new long[] {-1, ThyNvmSetting.HOME_BLOCKS}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> memory.read(0, line))
          .withMessageContaining("physical address space has 33554432 lines");
      assertThatIllegalArgumentException().isThrownBy(() -> memory.writeBack(0, line));
      assertThatIllegalArgumentException().isThrownBy(() -> memory.lineChanges(0, line));
    }
  }

  @Test
  void tablesInTheBackgroundAreNotWaitedForButTakeTheirTime() {
    ThyNvmSystem background =
        ThyNvmSetting.PAPER.withTablesInBackground().system(MemoryTiming.PAPER);
    background.writeBack(0, 1);
    long done = background.persistNow(0);
    assertThat(background.stats().flushStallPs()).isZero();
    assertThat(background.stats().waitStallPs()).isEqualTo(done).isPositive();
    assertThat(background.stats().tableBlocks()).isEqualTo(768);
    memory.writeBack(0, 1);
    memory.persistNow(0);
    assertThat(memory.stats().flushStallPs()).isEqualTo(30_720_000);
  }

  @Test
  void aReadPausesAWriteOfItsBank() {
    long otherRow = 1 << 11;
    long alone = new IdealMemory(MemoryTiming.PAPER, false).read(0, otherRow);
    IdealMemory busy = new IdealMemory(MemoryTiming.PAPER, false);
    busy.writeBack(0, 0);
    assertThat(busy.read(10_000, otherRow)).isEqualTo(10_000 + alone);
  }

  /** Waiting for another checkpoint within a flush counts once. */
  @Test
  void aProgramNeverWaitsLongerThanItRuns() {
    SchemePolicy pagesOnly = SchemePolicy.PAPER.withPagesOnly();
    ThyNvmSetting small = ThyNvmSetting.PAPER.withDramPages(16).with(pagesOnly);
    Core core = new Core(small.system(MemoryTiming.PAPER), true);
    for (int i = 0; i < LINES; i++) {
      core.store(i * 4096L);
    }
    assertThat(core.result().checkpointShare()).isBetween(0.1, 1.0);
  }

  @Test
  void journalAndShadowStopForTheirTables() {
    StopTheWorld journal = StopTheWorld.journal(MemoryTiming.ARTIFACT, Long.MAX_VALUE, 6144);
    StopTheWorld shadow = StopTheWorld.shadow(MemoryTiming.ARTIFACT, Long.MAX_VALUE, 4128);
    for (int i = 0; i < 6145; i++) {
      journal.writeBack(0, i);
    }
    for (int i = 0; i < 4129; i++) {
      shadow.writeBack(0, i * 64L);
    }
    assertThat(journal.stats().stallPs()).isEqualTo(537_603_000);
    assertThat(shadow.stats().stallPs()).isBetween(10_590_000_000L, 10_610_000_000L);
  }

  @Test
  void stoppedSystemsEndAnEpochThatHasLastedItsTime() {
    StopTheWorld journal = StopTheWorld.journal(MemoryTiming.PAPER, 1_000_000, 6144);
    journal.writeBack(0, 1);
    assertThat(journal.stats().checkpoints()).isZero();
    assertThat(journal.read(999_999, 1)).isLessThan(1_200_000);
    assertThat(journal.stats().checkpoints()).isZero();
    journal.read(1_000_000, 1);
    assertThat(journal.stats().checkpoints()).isEqualTo(1);
    assertThat(journal.stats().stallPs()).isPositive();
  }

  /** What a short run collects in DRAM is written all the same. */
  @Test
  void writesThatNoCheckpointHasTakenYetAreCounted() {
    Core core = new Core(StopTheWorld.shadow(MemoryTiming.PAPER, Long.MAX_VALUE, 4096), false);
    for (int i = 0; i < 1 << 17; i++) {
      core.store(i * 64L);
    }
    CoreResult result = core.result();
    assertThat(result.stats().checkpoints()).isZero();
    assertThat(result.stats().cpuBlocks()).isPositive();
    assertThat(result.megabytesPerSec())
        .isEqualTo(result.perSec(1) * SystemStats.megabytes(result.stats().cpuBlocks()));
  }
}
