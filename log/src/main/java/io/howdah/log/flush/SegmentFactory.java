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
 * Prepares segments. A prepared segment is a new file of zeros or a reused segment, with a header;
 * file and directory entry are forced. Forcing a batch then changes no metadata. One thread calls
 * {@link #next}; any thread may call {@link #free}.
 */
public final class SegmentFactory {

  private static final int ZEROS_BYTES = 1 << 20;
  private static final long FREE_BYTES = 512L << 20;
  private static final int LEAST_FREE = 8;
  private static final int MOST_FREE = 32;

  /** A free segment is reused if its length is at least a new segment's length divided by this. */
  private static final int SHRINKAGE = 4;

  private final Storage storage;
  private final LogStart start;

  /** Free segments: at most {@link #mostFree}, plus those that the opening has found. */
  private final Queue<String> free;

  /**
   * A segment whose header could not be made durable. Its header may contain the next sequence
   * number, so no other segment may get this number. Otherwise recovery could not determine which
   * of the two was used.
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
   * Creates a factory.
   *
   * @param smallestBytes minimum length of every segment, which takes precedence over the other
   *     lengths; see {@link BatchWriter#smallestSegmentBytes}
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
   * Returns the next segment, which is empty and durable. After a {@linkplain
   * StorageException#isTransient() transient} failure the call may be repeated. After any other
   * failure the file's state is unknown, and the call must not be repeated.
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

  /**
   * Returns the sequence of the segment after those that {@link #next} has returned. Called when no
   * thread calls {@link #next} any more. A segment whose header could not be made durable may have
   * this sequence already.
   */
  long nextSequence() {
    return nextSequence + (unready == null ? 0 : 1);
  }

  private @Nullable String nextFree() {
    String name = unready;
    unready = null;
    return name == null ? free.poll() : name;
  }

  /**
   * Frees a segment that is no longer needed. It is kept for reuse, or deleted if enough segments
   * are free.
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
   * Returns whether, at the last {@link #updateScarce}, no segment was free and the file system had
   * no space for a new one of the next length. Any thread.
   */
  boolean isSpaceScarce() {
    return scarce;
  }

  /** Updates {@link #isSpaceScarce}. */
  void updateScarce() {
    scarce = free.isEmpty() && usableBytes() < nextLengthBytes;
  }

  /** Returns the free space that the file system reports, or a very large number if it fails. */
  private long usableBytes() {
    try {
      return storage.usableBytes();
    } catch (StorageException e) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Opens a free segment for reuse. Deletes it and returns null if it is much shorter than new
   * segments, may be too short for a record, or is much longer than new segments.
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
    // If space is short, a shorter segment is created. The minimum length is always attempted,
    // since the file system may have reserved space for this user that it does not report.
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

  /** Halves the length of the next segment, so that it needs less space. */
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
