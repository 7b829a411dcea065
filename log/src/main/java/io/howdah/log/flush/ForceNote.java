package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ForceNoteLayout;
import io.howdah.core.report.LateLogger;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.commit.LogStart;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/**
 * The force note of an open store, a file that names the batch that was forced last
 * (docs/protocol.md, R42). If the end of the log is lost, and the rings with it, the note is what
 * tells the loss from a crash before the force.
 *
 * <p>The file is mapped shared. The flusher stores three words after each force and before it
 * releases the waiters, so the note costs no system call, and the kernel keeps it if the process is
 * killed. Another thread forces the file from time to time, so that the note soon survives a power
 * cut, too.
 */
public final class ForceNote implements AutoCloseable {

  /** Name of the file. */
  public static final String NAME = SegmentNames.LOG_DIRECTORY + "/forced";

  /** Name of the file while it is not durable. An existing file is replaced. */
  private static final String UNFINISHED = SegmentNames.LOG_DIRECTORY + "/forced.unfinished";

  /**
   * Maximum time between two forces of the note of a busy log. The note of a log that has come to
   * rest is forced at the next call.
   */
  private static final long FORCE_NANOS = 1_000_000_000;

  private static final LateLogger LOGGER = new LateLogger("io.howdah.log");

  private final Execution execution;
  private final StorageFile file;
  private final Region page;
  private final long generation;

  /** Where the flusher puts a slot together, to compute its checksum. */
  private final ByteBuffer slot =
      ByteBuffer.allocateDirect(ForceNoteLayout.SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);

  /** Sequence of the batch noted last; 0 if there is none. */
  private volatile long noted;

  // Of the thread that forces the note.
  private long seen;
  private long durable;
  private long lastForceNanos;

  private ForceNote(Execution execution, StorageFile file, Region page, long generation) {
    this.execution = execution;
    this.file = file;
    this.page = page;
    this.generation = generation;
    this.lastForceNanos = execution.nanoTime();
  }

  /**
   * Opens the note of a store for a new generation. If there is none, or one that is damaged or
   * cannot be read, creates it, durably. A note that names no batch may be one that a killed
   * process has created, and whose name is not durable yet: the name is forced.
   *
   * @throws StorageException if it cannot be created or mapped
   */
  public static ForceNote open(Storage storage, LogStart start, Execution execution) {
    Optional<List<NotedForce>> found = find(storage, start);
    if (found.isEmpty()) {
      create(storage, start);
    } else if (found.get().isEmpty()) {
      storage.forceDirectory(SegmentNames.LOG_DIRECTORY);
    }
    StorageFile file = storage.open(NAME, Storage.Access.READ_WRITE);
    try {
      Region page = storage.mapShared(NAME, ForceNoteLayout.LENGTH);
      return new ForceNote(execution, file, page, start.generation());
    } catch (Throwable t) {
      file.close();
      throw t;
    }
  }

  /** Recovery has judged what the note says. It goes on without a note that cannot be read. */
  private static Optional<List<NotedForce>> find(Storage storage, LogStart start) {
    try {
      return NotedForce.readAll(storage, start.storeIdHigh(), start.storeIdLow());
    } catch (StorageException _) {
      return Optional.empty();
    }
  }

  /**
   * Creates a note without batches. As with a segment, the file gets its name when its bytes are
   * durable: on some file systems a new file may otherwise contain, after a power cut, what a
   * deleted one held.
   */
  private static void create(Storage storage, LogStart start) {
    ByteBuffer bytes =
        ByteBuffer.allocateDirect(ForceNoteLayout.LENGTH)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(ForceNoteLayout.MAGIC_OFFSET, ForceNoteLayout.MAGIC)
            .putInt(ForceNoteLayout.VERSION_OFFSET, ForceNoteLayout.VERSION)
            .putLong(ForceNoteLayout.STORE_ID_HIGH_OFFSET, start.storeIdHigh())
            .putLong(ForceNoteLayout.STORE_ID_LOW_OFFSET, start.storeIdLow());
    bytes.putInt(
        ForceNoteLayout.CRC_OFFSET,
        Crc32c.around(bytes, ForceNoteLayout.CRC_OFFSET, ForceNoteLayout.HEADER_LENGTH));
    storage.delete(UNFINISHED);
    try (StorageFile created = storage.create(UNFINISHED)) {
      created.write(0, bytes);
      created.force();
    }
    storage.rename(UNFINISHED, NAME);
    storage.forceDirectory(SegmentNames.LOG_DIRECTORY);
  }

  /** Deletes the note of a store whose files were put back to an earlier state, durably. */
  public static void delete(Storage storage) {
    if (storage.exists(NAME)) {
      storage.delete(NAME);
      storage.forceDirectory(SegmentNames.LOG_DIRECTORY);
    }
  }

  /**
   * Notes a batch that was forced, and with it all batches before it. Called by the flusher before
   * any thread is told of the force. Consecutive batches use different slots, so a process that is
   * killed within a call leaves the batch before.
   */
  public void note(BatchId batch) {
    slot.putLong(ForceNoteLayout.SLOT_GENERATION_OFFSET, generation)
        .putLong(ForceNoteLayout.SLOT_SEQUENCE_OFFSET, batch.sequence())
        .putInt(ForceNoteLayout.SLOT_BATCH_CRC_OFFSET, batch.crc());
    slot.putInt(
        ForceNoteLayout.SLOT_CRC_OFFSET, Crc32c.of(slot, 0, ForceNoteLayout.SLOT_CRC_OFFSET));
    int address = ForceNoteLayout.slotOffset(batch.sequence());
    for (int offset = 0; offset < ForceNoteLayout.SLOT_LENGTH; offset += Long.BYTES) {
      page.setLong(address + offset, slot.getLong(offset));
    }
    noted = batch.sequence();
  }

  /**
   * Forces the note if it has changed and the log has come to rest since the last call, or {@value
   * #FORCE_NANOS} ns have passed. Called about ten times a second by one thread, not by the
   * flusher. A failure is logged at DEBUG only: the note still survives a kill, and the next force
   * of the log fails if the device does.
   */
  public void forceIfDue() {
    long latest = noted;
    long now = execution.nanoTime();
    if (latest != durable && (latest == seen || now - lastForceNanos >= FORCE_NANOS)) {
      lastForceNanos = now;
      durable = latest; // also after a failure: a further force would prove nothing about the page
      try {
        file.force();
      } catch (StorageException e) {
        LOGGER
            .get()
            .log(
                System.Logger.Level.DEBUG,
                () -> file.describe() + " was not forced: " + e.getMessage());
      }
    }
    seen = latest;
  }

  /** Returns a more specific exception for a fault of the note's page; otherwise {@code thrown}. */
  public Throwable explained(Throwable thrown) {
    return page.explained(thrown);
  }

  /** Unmaps the note and keeps its file. Idempotent. */
  @Override
  public void close() {
    page.close();
    file.close();
  }
}
