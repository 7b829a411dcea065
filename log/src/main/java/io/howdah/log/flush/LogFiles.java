package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.commit.LogStart;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The files of a log in use: its segments, in use and free, and the note of what was forced. The
 * flusher writes through {@link #target}; all other methods are thread-safe.
 */
public final class LogFiles implements AutoCloseable {

  private final SegmentFactory factory;
  private final SegmentHistory history;
  private final Queue<String> needed;
  private final ForceNote note;
  private final SegmentPreparer preparer;
  private final SegmentTarget target;

  /**
   * Creates the files of a new generation. Its first segment is durable when this returns.
   *
   * @param firstSegmentBytes length of the first segment that is created; each further one doubles
   * @param largestSegmentBytes length at which doubling ends
   * @param ringBytes capacity of each partition's ring
   */
  public LogFiles(
      Storage storage,
      LogStart start,
      int firstSegmentBytes,
      int largestSegmentBytes,
      long ringBytes,
      int partitions,
      Execution execution) {
    this.history =
        new SegmentHistory(
            start.nextSegmentSequence(), lengthBytes(storage, start.neededSegments()));
    this.needed = new ConcurrentLinkedQueue<>(start.neededSegments());
    this.factory =
        new SegmentFactory(
            storage,
            start,
            BatchWriter.smallestSegmentBytes(ringBytes, partitions),
            firstSegmentBytes,
            largestSegmentBytes);
    Segment first = factory.next();
    ForceNote forceNote = null;
    SegmentPreparer segments = null;
    try {
      forceNote = ForceNote.open(storage, start, execution);
      this.note = forceNote;
      segments = new SegmentPreparer(factory, execution, new ForcingNote(note), "howdah-segments");
      this.preparer = segments;
      this.target =
          new SegmentTarget(
              first, history, new Noting(note), new NextSegment(segments), storage.describe());
    } catch (Throwable t) {
      if (segments != null) {
        segments.close(); // its thread would outlive the failed opening
      }
      if (forceNote != null) {
        forceNote.close();
      }
      first.file.close();
      throw t;
    }
  }

  private record ForcingNote(ForceNote note) implements Runnable {
    @Override
    public void run() {
      note.forceIfDue();
    }
  }

  private record Noting(ForceNote note) implements Consumer<BatchId> {
    @Override
    public void accept(BatchId batch) {
      note.note(batch);
    }
  }

  private record NextSegment(SegmentPreparer preparer)
      implements Function<BatchTarget.Waiting, Segment> {
    @Override
    public Segment apply(BatchTarget.Waiting waiting) {
      return preparer.await(waiting);
    }
  }

  private static long lengthBytes(Storage storage, List<String> segments) {
    long bytes = 0;
    for (String name : segments) {
      try (StorageFile file = storage.open(name, Storage.Access.READ)) {
        bytes += file.sizeBytes();
      }
    }
    return bytes;
  }

  /** Returns the target of the flusher. */
  public BatchTarget target() {
    return target;
  }

  /** Returns the segments that contain batches of this opening. */
  public SegmentHistory history() {
    return history;
  }

  /**
   * Frees the segments before a point, and those of earlier openings. The superblock must be
   * durable that says that the log starts there. Called on an engine thread.
   */
  public void trim(TrimPoint point) {
    for (String name = needed.poll(); name != null; name = needed.poll()) {
      factory.free(name);
    }
    free(history.removeBefore(point));
    if (preparer.isSpaceScarce()) {
      free(history.giveUp()); // the store needs the space more than its archive
    }
  }

  /** Frees segments that {@link #history} has given back. */
  public void free(List<String> segments) {
    segments.forEach(factory::free);
    preparer.tryAgain();
  }

  /**
   * Returns the smallest sequence that no segment has. Called after {@link #close}, since until
   * then the preparer may take it.
   */
  public long nextSegmentSequence() {
    return factory.nextSequence();
  }

  /**
   * Returns whether the file system has no space for a further segment, and a checkpoint would free
   * one.
   */
  public boolean isSpaceScarce() {
    return preparer.isSpaceScarce() && history.hasComplete();
  }

  /** Sets an action that an engine thread runs when space has become scarce. */
  public void whenScarce(Runnable action) {
    preparer.whenScarce(action);
  }

  /**
   * Returns a more specific exception if {@code thrown} is a fault of the mapped note; otherwise
   * {@code thrown}.
   */
  public Throwable explained(Throwable thrown) {
    return note.explained(thrown);
  }

  /** Ends the threads and closes the files. Called after the flusher has ended. */
  @Override
  public void close() {
    preparer.close();
    target.close();
    note.close();
  }
}
