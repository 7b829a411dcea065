package io.howdah.store.open;

import io.howdah.core.storage.file.MachineMemory;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Says whether memory may be used that nobody needs yet: at least a tenth must be left, both of
 * what the process may use and of the machine. Less is what {@link MemoryWatch} warns of.
 * Thread-safe.
 */
public final class SpareMemory implements BooleanSupplier {

  private static final int SPARE_SHARE = 10;

  private final LongSupplier heldBytes;
  private final LongSupplier availableBytes;
  private final long limitBytes;

  /**
   * Creates one.
   *
   * @param heldBytes memory of the process that the kernel cannot take back
   * @param availableBytes memory that the machine can still give
   * @param limitBytes maximum for the process
   */
  public SpareMemory(LongSupplier heldBytes, LongSupplier availableBytes, long limitBytes) {
    this.heldBytes = heldBytes;
    this.availableBytes = availableBytes;
    this.limitBytes = limitBytes;
  }

  /** Returns the one of this process. */
  public static SpareMemory ofProcess() {
    return new SpareMemory(
        MachineMemory.Figure.HELD, MachineMemory.Figure.AVAILABLE, MachineMemory.usableBytes());
  }

  @Override
  public boolean getAsBoolean() {
    long spare = limitBytes / SPARE_SHARE;
    return limitBytes - heldBytes.getAsLong() >= spare && availableBytes.getAsLong() >= spare;
  }
}
