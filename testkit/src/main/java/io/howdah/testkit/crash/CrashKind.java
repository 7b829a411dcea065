package io.howdah.testkit.crash;

/** How a process or its machine went down; they differ in what is left. */
public enum CrashKind {
  /** {@code SimulatedDisk.kill}: files stay as the kernel sees them. */
  KILL(false),
  /** {@code SimulatedDisk.powerCut}: unforced parts of files are lost, volatile places are gone. */
  POWER_CUT(true),
  /** {@code SimulatedDisk.fileSystemShutdown}: as after a power cut, but volatile places stay. */
  FILE_SYSTEM_SHUTDOWN(true),
  /** {@code SimulatedDisk.replaceContainer}: files stay, volatile places are gone. */
  CONTAINER_REPLACED(false);

  private final boolean losesUnforced;

  CrashKind(boolean losesUnforced) {
    this.losesUnforced = losesUnforced;
  }

  /**
   * Returns whether what was not forced may be lost: then there are many states to come back in.
   */
  public boolean losesUnforced() {
    return losesUnforced;
  }
}
