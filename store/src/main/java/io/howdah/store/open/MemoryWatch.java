package io.howdah.store.open;

import io.howdah.core.report.FlightRecording;
import io.howdah.core.report.ProgramLog;
import java.util.function.LongSupplier;

/**
 * Warns before the process has used up the memory of its machine or container. Pages that
 * transactions have written since the opening are never given back while the store is open, and a
 * kernel that runs out of memory kills the process instead of failing an operation. Warns once when
 * the share passes 90 %, and again only after it has fallen below 80 %. For one thread.
 */
public final class MemoryWatch {

  private static final int WARNED_PERCENT = 90;
  private static final int CALM_PERCENT = 80;

  private final String store;
  private final LongSupplier usedBytes;
  private final long limitBytes;
  private final ProgramLog programLog;
  private boolean warned;

  /**
   * Creates one.
   *
   * @param store its name, for the message
   * @param usedBytes memory of the process that the kernel cannot take back
   * @param limitBytes that there is
   * @param programLog takes the warning
   */
  public MemoryWatch(String store, LongSupplier usedBytes, long limitBytes, ProgramLog programLog) {
    this.store = store;
    this.usedBytes = usedBytes;
    this.limitBytes = limitBytes;
    this.programLog = programLog;
  }

  /**
   * Looks once.
   *
   * @return whether it has warned now
   */
  public boolean look() {
    long used = usedBytes.getAsLong();
    if (used < share(CALM_PERCENT)) {
      warned = false;
    }
    if (warned || used <= share(WARNED_PERCENT)) {
      return false;
    }
    // A warning that was left out is tried again at the next look.
    warned =
        programLog.say(
            System.Logger.Level.WARNING,
            () ->
                store
                    + ": this process holds "
                    + used
                    + " of the "
                    + limitBytes
                    + " bytes of memory that it may use; beyond, the kernel ends it. Pages that"
                    + " transactions write stay in memory until the store is closed: close and open"
                    + " it again, give it more memory, or make the Java heap smaller");
    if (!warned) {
      return false;
    }
    if (FlightRecording.isOn()) {
      MemoryLowEvent event = new MemoryLowEvent();
      event.used = used;
      event.limit = limitBytes;
      event.commit();
    }
    return true;
  }

  private long share(int percent) {
    return limitBytes / 100 * percent;
  }
}
