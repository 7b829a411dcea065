package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.core.superblock.UnfinishedStore;
import io.howdah.log.flush.LogExtent;
import io.howdah.log.flush.SegmentNames;
import io.howdah.log.recovery.LogRecovery;
import io.howdah.log.recovery.RecoveredLog;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Copies a store's files, durably. {@link UnfinishedStore#COPY} is the first file and is durable
 * before any other file. It becomes the superblock when all other files are durable, so an
 * incomplete copy is recognizable.
 *
 * <p>Damage is not copied. Every page of the image is verified against its checksum, and the copied
 * log is read as a recovery would read it before the superblock refers to it. {@link #discard}
 * removes the files of a failed copy.
 *
 * <p>From an open store, it copies the image as of the newest checkpoint, then the durable part of
 * the log after it. The copy is a store without rings, and its opening replays the log. The copy
 * runs on the thread that takes checkpoints, so the image, the superblock and the start of the log
 * do not change. Owned by one thread.
 */
public final class FileCopy {

  private static final String SEGMENT_DIRECTORY = SegmentNames.DIRECTORY;

  /** Name of the image that {@link #compact} creates, before it replaces the former image. */
  static final String COMPACT_NAME = "image.compact";

  private static final int STAGING_BYTES = 1 << 20;
  private static final int ZERO_BYTES = Alignment.PAGE_BYTES;

  private final Checkpointer checkpointer;
  private final Storage source;
  private final Storage target;
  private final CopyTarget copied;
  private final CheckpointProgress progress;
  private final Runnable betweenPieces;
  private long bytes;

  /**
   * Creates a copy.
   *
   * @param source reads the image
   * @param target an empty storage
   */
  public FileCopy(Checkpointer source, Storage target) {
    this(source, target, CheckpointProgress.NONE, () -> {});
  }

  /**
   * Creates a copy.
   *
   * @param betweenPieces runs before each piece is copied; an exception ends the copy
   */
  FileCopy(
      Checkpointer source, Storage target, CheckpointProgress progress, Runnable betweenPieces) {
    this.checkpointer = source;
    this.source = source.storage();
    this.target = target;
    this.copied = new CopyTarget(target);
    this.progress = progress;
    this.betweenPieces = betweenPieces;
  }

  /**
   * Copies all files of a store that is not open, except superblock and rings.
   *
   * @throws CorruptStoreException if the image is damaged
   */
  public void all() {
    create("restored from");
    image(ImageFile.NAME);
    copy(ImageSums.NAME, Long.MAX_VALUE);
    for (String directory : List.of(Journal.DIRECTORY, SEGMENT_DIRECTORY)) {
      for (String entry : source.list(directory)) {
        if (directory.equals(SEGMENT_DIRECTORY) && SegmentNames.number(entry) < 0) {
          continue; // a segment that is not finished
        }
        String name = directory + "/" + entry;
        target.create(name).close();
        copy(name, Long.MAX_VALUE);
      }
      target.forceDirectory(directory);
    }
  }

  /**
   * Rewrites the image of a store that was closed, without its pages of zeros, and deletes its log;
   * source and target are the same.
   *
   * @throws CorruptStoreException if the image is damaged; it stays as it is
   * @throws IllegalStateException if the store was not closed: its log is needed
   */
  public void compact() {
    if (!checkpointer.current().clean()) {
      throw new IllegalStateException(source.describe() + " was not closed");
    }
    source.delete(COMPACT_NAME); // left by an interrupted attempt
    source.create(COMPACT_NAME).close();
    try {
      image(COMPACT_NAME);
    } catch (RuntimeException e) {
      source.delete(COMPACT_NAME);
      throw e;
    }
    // Durable as a whole before it takes the place of the other.
    source.rename(COMPACT_NAME, ImageFile.NAME);
    source.forceDirectory("");
    source.list(SEGMENT_DIRECTORY).forEach(entry -> source.delete(SEGMENT_DIRECTORY + "/" + entry));
    source.forceDirectory(SEGMENT_DIRECTORY);
  }

  private void create(String what) {
    Superblock superblock = checkpointer.current();
    copied.create(what + " " + source.describe(), superblock.storeId(), superblock.geometry());
  }

  /**
   * Creates the directories and copies the image.
   *
   * @throws CorruptStoreException if the image is damaged
   */
  void image() {
    create("backup of");
    image(ImageFile.NAME);
    copy(ImageSums.NAME, Long.MAX_VALUE);
    String journal = Journal.DIRECTORY + "/" + checkpointer.current().checkpoint().journalArea();
    if (source.exists(journal)) {
      // The header, the only remaining part of the journal, has the end of the image's data.
      target.create(journal).close();
      copy(journal, ZERO_BYTES);
      target.forceDirectory(Journal.DIRECTORY);
    }
  }

  private void image(String to) {
    try (StorageFile output = target.open(to, Storage.Access.READ_WRITE)) {
      checkpointer.readImage((address, piece) -> writeWithoutZeros(output, address, piece));
      finish(output, checkpointer.current().geometry().maxSizeBytes());
    }
  }

  /** Copies the log. */
  void log(List<LogExtent> extents) {
    for (LogExtent extent : extents) {
      target.create(extent.name()).close();
      copy(extent.name(), extent.endBytes());
      try (StorageFile file = target.open(extent.name(), Storage.Access.READ_WRITE)) {
        file.setSize(extent.lengthBytes());
        file.force();
      }
    }
    target.forceDirectory(SEGMENT_DIRECTORY);
  }

  /** Writes a superblock for the copied files; see {@link CopyTarget#prepare}. */
  public void prepare(Superblock superblock) {
    copied.prepare(superblock);
  }

  /** Turns the copies into a store, durably; see {@link CopyTarget#finish}. */
  public void finish() {
    copied.finish();
  }

  /**
   * Turns the copies of an open store into a store, after verifying the copied log.
   *
   * @param lsn the dense LSN up to which the copy must be complete
   * @throws CorruptStoreException if the log is damaged
   */
  void complete(boolean hasLog, long lsn, Execution execution) {
    // The rings are marked absent, so recovery does not trust them, and the log determines the
    // contents of the backup. Without a log the generation has no commits, which "no rings" states.
    RingPlacement rings = hasLog ? RingPlacement.ABSENT : new RingPlacement.None();
    Superblock superblock = checkpointer.current().change().withRings(rings).build();
    RecoveredLog log = LogRecovery.check(target, execution, superblock);
    // Records that survive after a gap do not replace those that are missing.
    long copiedLsn = log.completeLsn();
    if (copiedLsn < lsn) {
      throw new CorruptStoreException(
          SEGMENT_DIRECTORY,
          -1,
          "the copy of the log ends at LSN "
              + copiedLsn
              + ", but everything up to "
              + lsn
              + " was durable: the log is damaged, or was damaged while it was copied;"
              + " check the store when it is closed");
    }
    SuperblockFile.create(target, UnfinishedStore.COPY, superblock).close();
  }

  /** Removes the copied files if possible; see {@link CopyTarget#discard}. */
  public void discard(Throwable failure) {
    copied.discard(failure);
  }

  long bytes() {
    return bytes;
  }

  private void copy(String name, long endBytes) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile input = source.open(name, Storage.Access.READ);
        StorageFile output = target.open(name, Storage.Access.READ_WRITE)) {
      long end = Math.min(endBytes, input.sizeBytes());
      ByteBuffer buffer = memory.allocate(STAGING_BYTES);
      for (long offset = 0; offset < end; offset += STAGING_BYTES) {
        int length = (int) Math.min(STAGING_BYTES, end - offset);
        int read = input.read(offset, buffer.clear().limit(length));
        if (read < length) {
          throw new CorruptStoreException(
              name, offset + read, "the file ends here, but had " + end + " bytes");
        }
        writeWithoutZeros(output, offset, buffer.clear().limit(read));
      }
      finish(output, end);
    }
  }

  private void writeWithoutZeros(StorageFile output, long offset, ByteBuffer buffer) {
    betweenPieces.run();
    int end = buffer.limit();
    for (int at = 0; at < end; ) {
      int run = run(buffer, at, end);
      if (run > 0) {
        output.write(offset + at, buffer.duplicate().limit(at + run).position(at));
        bytes += run;
        progress.folded(run);
      }
      at += Math.max(run, (int) Math.min(ZERO_BYTES, Alignment.up(end - at, Long.BYTES)));
    }
  }

  /** Sets the length of the output, whose final zeros were not written. */
  private static void finish(StorageFile output, long lengthBytes) {
    output.setSize(Math.max(output.sizeBytes(), lengthBytes));
    output.force();
  }

  /** Returns the number of bytes before the next piece of zeros. */
  private static int run(ByteBuffer buffer, int from, int end) {
    int at = from;
    while (at < end && !isZero(buffer, at, Math.min(at + ZERO_BYTES, end))) {
      at = Math.min(at + ZERO_BYTES, end);
    }
    return at - from;
  }

  private static boolean isZero(ByteBuffer buffer, int from, int to) {
    int at = from;
    for (; at + Long.BYTES <= to; at += Long.BYTES) {
      if (buffer.getLong(at) != 0) {
        return false;
      }
    }
    for (; at < to; at++) {
      if (buffer.get(at) != 0) {
        return false;
      }
    }
    return true;
  }
}
