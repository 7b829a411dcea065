package io.howdah.store.archive;

import io.howdah.archive.Archive;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.log.RedoLog;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts and stops the archive of an open store. Thread-safe. */
public final class Archiving implements AutoCloseable {

  /** How long a stop waits for the last force of the archive. */
  private static final long STOP_NANOS = 10_000_000_000L;

  private final Storage storage;
  private final RedoLog log;
  private final CheckpointThread checkpoints;
  private final Execution execution;
  private @Nullable ArchiveThread thread; // guarded by this

  /** Creates it without an archive. */
  public Archiving(
      Storage storage, RedoLog log, CheckpointThread checkpoints, Execution execution) {
    this.storage = storage;
    this.log = log;
    this.checkpoints = checkpoints;
    this.execution = execution;
  }

  /**
   * Starts to archive.
   *
   * @throws IllegalStateException if the store has an archive already
   */
  public synchronized void start(Archive archive) {
    if (thread != null) {
      throw new IllegalStateException(
          "the store has an archive already"
              + thread.archive().place().map(place -> ", in " + place).orElse(""));
    }
    thread = new ArchiveThread(archive, storage, log, checkpoints, execution);
  }

  /**
   * Copies what is durable by now, and ends the archive.
   *
   * @return whether there was one
   */
  public boolean stop() {
    ArchiveThread ended = take();
    if (ended == null) {
      return false;
    }
    ended.close(STOP_NANOS);
    return true;
  }

  private synchronized @Nullable ArchiveThread take() {
    ArchiveThread ended = thread;
    thread = null;
    return ended;
  }

  /** Returns the archive that is made, if there is one. */
  public synchronized Optional<ArchiveThread> current() {
    return Optional.ofNullable(thread);
  }

  /** Ends the archive without waiting for its place. Idempotent. */
  @Override
  public void close() {
    ArchiveThread ended = take();
    if (ended != null) {
      ended.close();
    }
  }
}
