package io.howdah.log.flush;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentHeader;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.commit.LogStart;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Makes segments ready for use: pre-written with zeros or recycled, headed, forced, their directory
 * entry forced. After that, forcing a batch changes no metadata. One thread calls {@link #next};
 * {@link #free} is for any.
 */
public final class SegmentFactory {

  private static final int ZEROS_BYTES = 1 << 20;
  private static final long FREE_BYTES = 512L << 20;
  private static final int LEAST_FREE = 8;
  private static final int MOST_FREE = 32;

  /** A free segment is used if it is not shorter than a new one by more than this. */
  private static final int SHRINKAGE = 4;

  private final Storage storage;
  private final LogStart start;

  /** At most {@link #mostFree}, apart from those that the opening has found. */
  private final Queue<String> free;

  /**
   * A segment whose header could not be made durable. Its header may already hold the next sequence
   * number, so no other segment may get this number: a recovery could not tell which of the two was
   * used.
   */
  private @Nullable String unready;

  private final ByteBuffer zeros =
      ByteBuffer.allocateDirect(ZEROS_BYTES + SegmentLayout.HEADER_LENGTH)
          .alignedSlice(SegmentLayout.HEADER_LENGTH)
          .order(ByteOrder.LITTLE_ENDIAN);
  private final int smallestBytes;
  private final int largestBytes;
  private final int mostFree;

  private long nextSequence;
  private int nextName;
  private int nextLengthBytes;

  /** See {@link #isSpaceScarce}. */
  private volatile boolean scarce;

  /**
   * Creates one.
   *
   * @param smallestBytes length that every segment has at least, whatever the others say; see
   *     {@link BatchWriter#smallestSegmentBytes}
   */
  public SegmentFactory(
      Storage storage, LogStart start, int smallestBytes, int firstBytes, int largestBytes) {
    this.storage = storage;
    this.smallestBytes = smallestBytes;
    this.start = start;
    this.free = new ConcurrentLinkedQueue<>(start.freeSegments());
    this.largestBytes = Math.max(smallestBytes, largestBytes);
    this.mostFree = Math.clamp(FREE_BYTES / largestBytes, LEAST_FREE, MOST_FREE);
    this.nextSequence = start.nextSegmentSequence();
    this.nextName = start.nextSegmentName();
    this.nextLengthBytes = Math.max(smallestBytes, firstBytes);
  }

  /**
   * Returns the next segment, durable as an empty one. After a {@linkplain
   * StorageException#isTransient() transient} failure it may be called again; after any other the
   * file's state is unknown and it may not.
   */
  public Segment next() {
    for (String name = nextFree(); name != null; name = nextFree()) {
      Segment segment = recycle(name);
      if (segment != null) {
        return segment;
      }
    }
    return create();
  }

  private @Nullable String nextFree() {
    String name = unready;
    unready = null;
    return name == null ? free.poll() : name;
  }

  /**
   * Takes back a segment that is not needed any more. It is used again, or deleted if enough
   * segments are free.
   */
  public void free(String name) {
    if (free.size() < mostFree) {
      free.add(name);
    } else {
      storage.delete(name);
    }
    scarce = false;
  }

  /**
   * Returns whether, at the last {@link #look}, no segment was free and the file system had no
   * space for a further one of the length that is due. Any thread.
   */
  boolean isSpaceScarce() {
    return scarce;
  }

  /** Finds out again whether space is scarce. */
  void look() {
    scarce = free.isEmpty() && usableBytes() < nextLengthBytes;
  }

  /** Returns what the file system says it has left; very much if it does not say. */
  private long usableBytes() {
    try {
      return storage.usableBytes();
    } catch (StorageException e) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Returns null if the log has outgrown the segment, if it may be too short for a record, or if
   * the log is to have far shorter ones; it is deleted then.
   */
  private @Nullable Segment recycle(String name) {
    StorageFile file;
    try {
      file = storage.open(name, Storage.Access.DIRECT);
    } catch (StorageException e) {
      unready = name;
      throw e;
    }
    try {
      long size = file.sizeBytes();
      if (size < Math.max(smallestBytes, nextLengthBytes / SHRINKAGE) || size > 2L * largestBytes) {
        file.close();
        storage.delete(name);
        return null;
      }
      int lengthBytes = (int) Math.min(size - size % SegmentLayout.HEADER_LENGTH, largestBytes);
      return head(file, name, lengthBytes);
    } catch (StorageException e) {
      file.close();
      unready = name;
      throw e;
    }
  }

  private Segment head(StorageFile file, String name, int lengthBytes) {
    writeHeader(file, lengthBytes);
    file.force();
    grow();
    return new Segment(file, name, nextSequence++, lengthBytes, SegmentLayout.HEADER_LENGTH);
  }

  private Segment create() {
    // A shorter segment rather than none. The shortest is tried in any case: the system may keep
    // space for this user that it does not tell of.
    long usableBytes = usableBytes();
    while (nextLengthBytes > Math.max(smallestBytes, usableBytes)) {
      shorten();
    }
    String name = SegmentNames.name(nextName);
    StorageFile file;
    try {
      file = EmptySegment.create(storage, name, nextLengthBytes, zeros);
    } catch (StorageException e) {
      if (e.isTransient() && e.reason() != StorageException.Reason.TOO_MANY_FILES) {
        shorten();
      }
      throw e;
    }
    nextName++;
    try {
      return head(file, name, nextLengthBytes);
    } catch (StorageException e) {
      file.close();
      unready = name;
      throw e;
    }
  }

  /** Makes the next segment half as long, so that less space is enough. */
  private void shorten() {
    nextLengthBytes = Math.max(smallestBytes, nextLengthBytes / 2 & -BatchLayout.ALIGNMENT);
  }

  private void grow() {
    nextLengthBytes = Math.min(nextLengthBytes * 2, largestBytes);
  }

  private void writeHeader(StorageFile file, int lengthBytes) {
    ByteBuffer page = zeros.clear().limit(SegmentLayout.HEADER_LENGTH);
    new SegmentHeader(
            SegmentLayout.VERSION,
            0,
            start.storeIdHigh(),
            start.storeIdLow(),
            nextSequence,
            start.generation(),
            lengthBytes)
        .write(page);
    file.write(0, page);
    for (int offset = 0;
        offset < SegmentLayout.CRC_OFFSET + Integer.BYTES;
        offset += Integer.BYTES) {
      page.putInt(offset, 0);
    }
  }
}
