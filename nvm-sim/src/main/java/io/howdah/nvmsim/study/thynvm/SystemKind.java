package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.thynvm.system.IdealMemory;
import io.howdah.nvmsim.thynvm.system.MemorySystem;
import io.howdah.nvmsim.thynvm.system.MemoryTiming;
import io.howdah.nvmsim.thynvm.system.StopTheWorld;
import io.howdah.nvmsim.thynvm.system.ThyNvmSetting;

/** The systems of §5.1. */
enum SystemKind {
  IDEAL_DRAM("Ideal DRAM"),
  IDEAL_NVM("Ideal NVM"),
  JOURNAL("Journal"),
  SHADOW("Shadow"),
  THYNVM("ThyNVM");

  /** Pages that the authors' Shadow has beyond ThyNVM's: the room of the BTT's block cache. */
  private static final int ARTIFACT_EXTRA_PAGES = 32;

  private final String text;

  SystemKind(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  /**
   * Creates the system; Journal and Shadow have as many entries as ThyNVM's tables. Journal writes
   * its buffer back at the end of each epoch, Shadow when its DRAM is full (§5.1).
   */
  MemorySystem create(Mode mode, MemoryTiming timing, ThyNvmSetting setting) {
    return create(mode, timing, setting, Long.MAX_VALUE);
  }

  /** The same with epochs of Shadow as short as the others', so that all lose as much at most. */
  MemorySystem createBounded(Mode mode, ThyNvmSetting setting) {
    return create(mode, mode.timing(), setting, setting.epochPs());
  }

  private MemorySystem create(
      Mode mode, MemoryTiming timing, ThyNvmSetting setting, long shadowEpochPs) {
    return switch (this) {
      case IDEAL_DRAM -> new IdealMemory(timing, true);
      case IDEAL_NVM -> new IdealMemory(timing, false);
      case JOURNAL ->
          StopTheWorld.journal(
              timing, setting.epochPs(), setting.blockEntries() + setting.dramPages());
      case SHADOW ->
          StopTheWorld.shadow(
              timing,
              shadowEpochPs,
              setting.dramPages() + (mode == Mode.ARTIFACT ? ARTIFACT_EXTRA_PAGES : 0));
      case THYNVM -> setting.system(timing);
    };
  }
}
