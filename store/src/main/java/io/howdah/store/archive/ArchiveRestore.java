package io.howdah.store.archive;

import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.checkpoint.BaseRestore;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.store.archive.ArchiveIndex.Base;
import io.howdah.store.archive.ArchiveIndex.Mark;
import io.howdah.store.archive.ArchiveIndex.Range;
import io.howdah.store.archive.ArchiveIndex.Stretch;
import io.howdah.store.archive.FrameReader.Frame;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the files of a store from an archive, and verifies archives. */
public final class ArchiveRestore {

  private ArchiveRestore() {}

  /** What a restore reads. */
  public static final class Plan {
    private final Base base;
    private final List<Base> chain;
    private final Stretch stretch;
    private final long lsn;
    private final long millis;

    private Plan(Base base, List<Base> chain, Stretch stretch, long lsn, long millis) {
      this.base = base;
      this.chain = chain;
      this.stretch = stretch;
      this.lsn = lsn;
      this.millis = millis;
    }

    /** Returns the LSN of the last commit that the restored store has. */
    public long lsn() {
      return lsn;
    }

    /** Returns a time at which all commits up to that LSN had been made, since 1970. */
    public long millis() {
      return millis;
    }
  }

  /**
   * Chooses a base and the log for a moment.
   *
   * @throws IllegalArgumentException if the archive cannot be restored as of this moment; names
   *     what it can be restored as of
   */
  public static Plan plan(ArchiveIndex index, ArchiveMoment moment) {
    return switch (moment) {
      case ArchiveMoment.Latest _ -> latest(index);
      case ArchiveMoment.AtLsn(long lsn) -> atLsn(index, lsn);
      case ArchiveMoment.AtTime(Instant time) -> atTime(index, time);
    };
  }

  private static Plan latest(ArchiveIndex index) {
    List<Range> ranges = index.ranges();
    if (ranges.isEmpty()) {
      throw refused(index, "as of any moment");
    }
    Mark last = ranges.getLast().to();
    return atLsn(index, last.lsn());
  }

  private static Plan atLsn(ArchiveIndex index, long lsn) {
    Plan plan = null;
    for (Base base : newestFirst(index)) {
      Stretch stretch = index.behind(base).orElseThrow();
      Optional<Mark> mark = stretch.marks.firstFrom(lsn);
      if (base.lsn() <= lsn && mark.isPresent()) {
        plan = new Plan(base, index.chain(base).orElseThrow(), stretch, lsn, mark.get().millis());
        break;
      }
    }
    if (plan == null) {
      throw refused(index, "as of LSN " + lsn);
    }
    return plan;
  }

  /**
   * Finds the newest mark up to a time. A mark names no commit that was made after its own time
   * (docs/protocol.md, R55). If the next moment after the time lies behind a gap, commits may be
   * missing that were made before the time, so it is refused.
   */
  private static Plan atTime(ArchiveIndex index, Instant time) {
    long millis = millis(time);
    Stretch of = null;
    Mark found = null;
    Stretch next = null;
    for (Stretch stretch : index.stretches()) {
      Optional<Mark> upTo = stretch.marks.lastUpTo(millis);
      if (upTo.isPresent()) {
        of = stretch;
        found = upTo.get();
      }
      if (stretch.marks.last().filter(last -> last.millis() > millis).isPresent()) {
        next = stretch;
        break;
      }
    }
    if (found == null || (found.millis() < millis && next != of)) {
      throw refused(index, "as of " + time);
    }
    for (Base base : newestFirst(index)) {
      Stretch stretch = index.behind(base).orElseThrow();
      if (stretch == of && base.lsn() <= found.lsn()) {
        return new Plan(base, index.chain(base).orElseThrow(), of, found.lsn(), found.millis());
      }
    }
    throw refused(index, "as of " + time);
  }

  /** Times that have no number of milliseconds are before all moments, or behind all of them. */
  private static long millis(Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  private static List<Base> newestFirst(ArchiveIndex index) {
    List<Base> bases = new ArrayList<>(index.usableBases());
    bases.sort(Comparator.comparing(Base::object).reversed()); // in the order of runs and bases
    return bases;
  }

  private static IllegalArgumentException refused(ArchiveIndex index, String moment) {
    String ranges =
        index.ranges().stream()
            .map(
                range ->
                    "LSN "
                        + range.fromLsn()
                        + " to "
                        + range.to().lsn()
                        + ", "
                        + Instant.ofEpochMilli(range.from().millis())
                        + " to "
                        + Instant.ofEpochMilli(range.to().millis()))
            .collect(Collectors.joining("; "));
    return new IllegalArgumentException(
        index.place()
            + " cannot be restored "
            + moment
            + (ranges.isEmpty() ? ": it has no base with its log" : ", only from " + ranges));
  }

  /**
   * Writes the files of a store, whose log is to be recovered up to {@link Plan#lsn}.
   *
   * @param target an empty storage; it holds nothing after a failure
   * @return the files, which are no store before {@link BaseRestore#finish}
   * @throws CorruptStoreException if the archive is damaged; names object and offset
   */
  public static BaseRestore write(
      ArchiveTarget place, Plan plan, Storage target, PayloadCoding coding) {
    BaseRestore restore =
        new BaseRestore(
            target, plan.base.start(), "restored from the archive in " + place.describe());
    try (restore;
        BaseReader base = new BaseReader(place, coding);
        FrameReader reader = new FrameReader(place, coding)) {
      base.read(plan.base, plan.chain, restore::pages);
      writeLog(reader, plan, restore);
      restore.prepare(plan.base.end(), plan.base.imageEndBytes());
      return restore;
    } catch (RuntimeException | Error e) {
      restore.discard(e);
      throw e;
    }
  }

  private static void writeLog(FrameReader reader, Plan plan, BaseRestore restore) {
    Stretch stretch = plan.stretch;
    long toBatch = stretch.marks.firstFrom(plan.lsn).orElseThrow().nextBatch();
    try (LogWriter writer = new LogWriter(restore)) {
      stretch.read(
          reader,
          plan.base.firstBatch(),
          toBatch,
          frame -> {
            if (frame.first() >= plan.base.start().log().oldestSegment()) {
              writer.write(frame, reader.payload(frame)); // otherwise the base has all of it
            }
          });
      writer.complete();
    }
  }

  /** Writes the segments of a log, one after the other. */
  private static final class LogWriter implements AutoCloseable {
    private final BaseRestore restore;
    private @Nullable StorageFile file;
    private long segment = -1;
    private long segmentBytes;

    LogWriter(BaseRestore restore) {
      this.restore = restore;
    }

    void write(Frame frame, ByteBuffer bytes) {
      long length = frame.second() >>> Integer.SIZE;
      long offset = (int) frame.second();
      if (frame.first() != segment) {
        complete();
        if (frame.first() < segment
            || length < SegmentLayout.MIN_LENGTH
            || length > SegmentLayout.MAX_LENGTH) {
          throw new CorruptStoreException(
              frame.object(), frame.offset(), "the frame names a segment that cannot be");
        }
        segment = frame.first();
        segmentBytes = length;
        file = restore.segment((int) length);
      }
      StorageFile open = file;
      if (open == null
          || length != segmentBytes
          || offset < 0
          || offset + bytes.remaining() > length) {
        throw new CorruptStoreException(
            frame.object(), frame.offset(), "the frame is not within its segment");
      }
      open.write(offset, bytes);
    }

    /** Makes the last segment durable. */
    void complete() {
      StorageFile written = file;
      if (written != null) {
        written.force();
        close();
      }
    }

    @Override
    public void close() {
      StorageFile open = file;
      file = null;
      if (open != null) {
        open.close();
      }
    }
  }

  /**
   * Reads all that the index names, and verifies every checksum.
   *
   * @return what is damaged, in words
   */
  public static List<String> verify(ArchiveTarget place, ArchiveIndex index, PayloadCoding coding) {
    List<String> damages = new ArrayList<>();
    try (FrameReader reader = new FrameReader(place, coding);
        BaseReader bases = new BaseReader(place, coding)) {
      for (Base base : index.bases()) {
        try {
          index.chain(base).ifPresent(chain -> bases.read(base, chain, (_, _) -> {}));
        } catch (CorruptStoreException e) {
          damages.add(String.valueOf(e.getMessage()));
        }
      }
      for (Stretch stretch : index.stretches()) {
        try {
          stretch.read(reader, 0, Long.MAX_VALUE, frame -> verify(reader, frame, damages));
        } catch (CorruptStoreException e) {
          damages.add(String.valueOf(e.getMessage()));
        }
      }
    }
    return damages;
  }

  private static void verify(FrameReader reader, Frame frame, List<String> damages) {
    try {
      reader.payload(frame);
    } catch (CorruptStoreException e) {
      damages.add(String.valueOf(e.getMessage()));
    }
  }
}
