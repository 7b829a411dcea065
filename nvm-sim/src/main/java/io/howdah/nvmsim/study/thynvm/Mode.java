package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.thynvm.system.MemoryTiming;
import java.util.Locale;

/** Whose description the model follows. */
public enum Mode {
  /** The paper: Table 2, data flush, epochs of at most 10 ms, a protocol that recovers. */
  PAPER,
  /** The authors' program: no data flush, no limit of time, its peculiarities. */
  ARTIFACT;

  MemoryTiming timing() {
    return this == PAPER ? MemoryTiming.PAPER : MemoryTiming.ARTIFACT;
  }

  /** Whether checkpoints flush the caches. */
  boolean dataFlush() {
    return this == PAPER;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The mode of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Mode of(String name) {
    for (Mode mode : values()) {
      if (mode.text().equals(name)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("--mode must be paper, artifact or both: " + name);
  }
}
