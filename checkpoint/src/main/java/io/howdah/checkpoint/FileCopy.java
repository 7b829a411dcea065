package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StoreLockedException;
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
 * Copies a store's files, durably. {@link UnfinishedStore#COPY} is the first file, durable before
 * any other, and becomes the superblock when all others are durable, so a copy that was cut short
 * says that it is none.
 *
 * <p>Damage is not copied: every page of the image is held to its checksum on its way, and the copy
 * of a log is read as a recovery would read it before the superblock vouches for it. {@link
 * #discard} removes what a failed copy has left.
 *
 * <p>Of a store at work it copies the image as the newest checkpoint has folded it, then the log
 * behind that, as far as it is durable; the copy is a store that lost its rings, and opening it
 * replays its log. That runs on the thread that takes checkpoints, so image, superblock and the
 * log's start stand still. Owned by one thread.
 */
public final class FileCopy {

  private static final String SEGMENT_DIRECTORY = SegmentNames.DIRECTORY;

  /** The image that {@link #compact} makes, until it takes the place of the other. */
  static final String COMPACT_NAME = "image.compact";

  private static final int STAGING_BYTES = 1 << 20;
  private static final int ZERO_BYTES = Alignment.PAGE_BYTES;

  private final Checkpointer checkpointer;
  private final Storage source;
  private final Storage target;
  private final CheckpointProgress progress;
  private final Runnable betweenPieces;
  private long bytes;

  /** Whether what the target holds is this copy's. */
  private boolean owned;

  /**
   * Creates one.
   *
   * @param source reads the image
   * @param target an empty storage
   */
  public FileCopy(Checkpointer source, Storage target) {
    this(source, target, CheckpointProgress.NONE, () -> {});
  }

  /**
   * Creates one.
   *
   * @param betweenPieces runs before each piece that is copied; what it throws ends the copy
   */
  FileCopy(
      Checkpointer source, Storage target, CheckpointProgress progress, Runnable betweenPieces) {
    this.checkpointer = source;
    this.source = source.storage();
    this.target = target;
    this.progress = progress;
    this.betweenPieces = betweenPieces;
  }

  /**
   * Copies all files of a store that nobody has open, but for superblock and rings.
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
    source.delete(COMPACT_NAME); // left behind by an attempt that was cut short
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
    claim(what + " " + source.describe());
    StoreFiles.createDirectories(target);
    RegionImage.create(target, superblock.storeId(), superblock.geometry());
  }

  /**
   * Makes the target this copy's own. It was empty when somebody looked first, which may be long
   * ago. Only one copy can create the mark. Who opens a store there creates the lock before he
   * looks for the mark, and this looks for his files when the mark is there, so one of the two sees
   * the other.
   */
  private void claim(String note) {
    requireNothingBut("");
    UnfinishedStore.COPY.begin(target, note);
    try {
      requireNothingBut(UnfinishedStore.COPY.fileName());
    } catch (RuntimeException e) {
      UnfinishedStore.COPY.remove(target, e);
      throw e;
    }
    owned = true;
  }

  private void requireNothingBut(String mark) {
    for (String name : target.list("")) {
      if (!name.equals(mark) && !StoreFiles.isOfFileSystem(name)) {
        throw new UnsupportedStoreException(
            target.describe()
                + " holds "
                + name
                + ", which somebody has put there while the copy was prepared; name an empty or a"
                + " new directory");
      }
    }
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
      // Its header, which is all that is left of it, tells how far the image was written.
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

  /**
   * Gives the copies a superblock, which {@link SuperblockFile#openUnfinished} opens; they are no
   * store before {@link #finish}.
   */
  public void prepare(Superblock superblock) {
    SuperblockFile.prepare(target, UnfinishedStore.COPY, superblock);
  }

  /**
   * Makes a store of the copies, durably, and gives it a lock file: a first opening for reading
   * only creates none, and would keep no writer out.
   */
  public void finish() {
    try {
      target.lock("howdah copy").close();
    } catch (StoreLockedException e) {
      // Who is about to be refused here has created the file.
    }
    SuperblockFile.finish(target, UnfinishedStore.COPY);
  }

  /**
   * Makes a store of the copies of one that is open, once its log has been read.
   *
   * @param lsn that the copy has to hold
   * @throws CorruptStoreException if the log is damaged
   */
  void complete(boolean hasLog, long lsn, Execution execution) {
    // Rings that are not there are not trusted, so the log decides what the backup holds. Without a
    // log the generation has accepted nothing, which is what naming no rings says.
    RingPlacement rings = hasLog ? RingPlacement.ABSENT : new RingPlacement.None();
    Superblock superblock = checkpointer.current().change().withRings(rings).build();
    RecoveredLog log = LogRecovery.check(target, execution, superblock);
    // Survivors beyond a gap do not make up for what is missing before them.
    long held = log.completeLsn();
    if (held < lsn) {
      throw new CorruptStoreException(
          SEGMENT_DIRECTORY,
          -1,
          "the copy of the log ends at LSN "
              + held
              + ", but everything up to "
              + lsn
              + " was durable: the log is damaged where it lies, or was damaged as it was copied;"
              + " check the store when it is closed");
    }
    SuperblockFile.create(target, UnfinishedStore.COPY, superblock).close();
  }

  /**
   * Removes what was copied, as far as that is possible: a copy that failed is no use to anybody,
   * and in the way of the next. Leaves alone what somebody else has put there.
   *
   * @param failure of the copy; takes up what goes wrong here
   */
  public void discard(Throwable failure) {
    if (!owned) {
      return;
    }
    try {
      SuperblockFile.unfinish(target, UnfinishedStore.COPY);
      StoreFiles.delete(target);
      // The last to go, as it was the first to come.
      target.delete(UnfinishedStore.COPY.fileName());
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
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
        int wanted = (int) Math.min(STAGING_BYTES, end - offset);
        int read = input.read(offset, buffer.clear().limit(wanted));
        if (read < wanted) {
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

  /** What ended in zeros has its length all the same. */
  private static void finish(StorageFile output, long lengthBytes) {
    output.setSize(Math.max(output.sizeBytes(), lengthBytes));
    output.force();
  }

  /** Returns how many bytes there are before the next piece of zeros. */
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
