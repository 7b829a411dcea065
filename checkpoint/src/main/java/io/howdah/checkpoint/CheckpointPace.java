package io.howdah.checkpoint;

import io.howdah.core.Execution;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Counts what a checkpoint does, and keeps it from taking the processor and the disk to itself:
 * after every so many bytes it lets others run. For one thread.
 */
final class CheckpointPace implements CheckpointProgress {

  private static final int PAGES_BETWEEN_YIELDS = 64;

  private final Execution execution;
  private final BooleanSupplier cancelled;

  private long dirtyPages;
  private long wholePages;
  private long lines;
  private long journalBytes;
  private long imageBytes;

  CheckpointPace(Execution execution, BooleanSupplier cancelled) {
    this.execution = execution;
    this.cancelled = cancelled;
  }

  void start() {
    dirtyPages = 0;
    wholePages = 0;
    lines = 0;
    journalBytes = 0;
    imageBytes = 0;
  }

  @Override
  public void copied(int lineCount, boolean whole) {
    dirtyPages++;
    if (whole) {
      wholePages++;
    } else {
      lines += lineCount;
    }
    if (dirtyPages % PAGES_BETWEEN_YIELDS == 0) {
      // Commits compete for the same processors, and their owners wait for them.
      execution.yieldNow();
      if (cancelled.getAsBoolean()) {
        throw new CancellationException("the store is closing");
      }
    }
  }

  @Override
  public void journaled(long bytes) {
    journalBytes += bytes;
  }

  @Override
  public void folded(long bytes) {
    imageBytes += bytes;
  }

  long dirtyPages() {
    return dirtyPages;
  }

  long wholePages() {
    return wholePages;
  }

  long lines() {
    return lines;
  }

  long journalBytes() {
    return journalBytes;
  }

  long imageBytes() {
    return imageBytes;
  }
}
