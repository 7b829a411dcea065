package io.howdah.store.archive;

import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.store.archive.FrameReader.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an archive has: its bases, and the stretches of log without a gap. Made by reading the
 * headers of all frames; payloads are verified when they are used. It takes 24 bytes of memory for
 * each mark, and little for each object. Immutable.
 */
public final class ArchiveIndex {

  private static final long FIRST_LSN = 1;

  private final String place;
  private final StoreId storeId;
  private final List<Base> bases;
  private final List<Stretch> stretches;
  private final List<String> problems;
  private final long bytes;

  private ArchiveIndex(
      String place,
      StoreId storeId,
      List<Base> bases,
      List<Stretch> stretches,
      List<String> problems,
      long bytes) {
    this.place = place;
    this.storeId = storeId;
    this.bases = List.copyOf(bases);
    this.stretches = List.copyOf(stretches);
    this.problems = problems;
    this.bytes = bytes;
  }

  /**
   * A moment that the log has.
   *
   * @param lsn every commit up to it is in the log before the mark
   * @param millis a time at which all of these had been made, since 1970
   * @param nextBatch sequence of the batch behind that log
   */
  public record Mark(long lsn, long millis, long nextBatch) {}

  /**
   * A base whose end is there.
   *
   * @param object name of its object
   * @param chain the bases that it refers to
   * @param start state from which it was started
   * @param end state in which all of its pages had been written
   * @param millis when it was completed
   * @param imageEndBytes end of the part of the image that was ever written
   * @param bytes length of the object
   */
  record Base(
      RunId run,
      long number,
      String object,
      BaseChain chain,
      Superblock start,
      Superblock end,
      long millis,
      long imageEndBytes,
      long bytes) {

    /**
     * Returns the smallest LSN as of which it can be restored. There is no store before the first
     * commit, which writes the region's header.
     */
    long lsn() {
      long imageLsn = Math.max(start.checkpoint().imageLsn(), end.checkpoint().imageLsn());
      return Math.max(FIRST_LSN, imageLsn);
    }

    /** Returns the sequence of the first batch that it needs. */
    long firstBatch() {
      return start.log().oldestBatch();
    }
  }

  /** Log without a gap. */
  static final class Stretch {
    final RunId run;
    final long firstBatch;
    long nextBatch;
    final Marks marks = new Marks();
    final List<LogObject> objects = new ArrayList<>();

    Stretch(RunId run, long firstBatch) {
      this.run = run;
      this.firstBatch = firstBatch;
      this.nextBatch = firstBatch;
    }

    /** Returns whether a base may be followed by this log. */
    boolean continues(Base base) {
      return run.equals(base.run())
          && firstBatch <= base.firstBatch()
          && base.firstBatch() <= nextBatch;
    }

    /**
     * Reads the frames with some batches again, each batch once.
     *
     * @param fromBatch sequence of the first batch that is wanted; some before it may come, too
     * @param toBatch sequence behind the last batch that is wanted
     * @param action gets the frames in their order
     * @throws CorruptStoreException if they are not those that the index was made of
     */
    void read(FrameReader reader, long fromBatch, long toBatch, Consumer<Frame> action) {
      long next = firstBatch;
      for (int i = 0; i < objects.size() && next < toBatch; i++) {
        LogObject object = objects.get(i);
        if (i + 1 < objects.size() && objects.get(i + 1).firstBatch() <= fromBatch) {
          next = Math.max(next, objects.get(i + 1).firstBatch());
          continue;
        }
        long sequence = 0;
        for (Frame frame = reader.read(object.name(), 0, object.endBytes());
            frame != null && next < toBatch;
            frame = reader.read(object.name(), frame.end(), object.endBytes())) {
          if (!frame.run().equals(run)
              || frame.sequence() != sequence++
              || (frame.kind() == FrameKind.LOG && frame.third() > next)) {
            throw new CorruptStoreException(
                object.name(), frame.offset(), "the frame belongs elsewhere");
          }
          if (frame.kind() == FrameKind.LOG && frame.fourth() >= next) {
            next = frame.fourth() + 1;
            action.accept(frame);
          }
        }
      }
    }
  }

  /**
   * An object with log.
   *
   * @param firstBatch sequence of the first batch that is not in objects before it
   * @param endBytes end of what counts of it
   */
  record LogObject(String name, long firstBatch, long endBytes) {}

  /**
   * A range of LSNs, as of each of which a store can be restored.
   *
   * @param run number of the run
   * @param base number of the oldest base that is needed
   * @param fromLsn the first LSN
   * @param from the first moment that has a time
   * @param to the last moment
   */
  public record Range(long run, long base, long fromLsn, Mark from, Mark to) {}

  /** Returns whether a target holds an archive. */
  public static boolean isArchive(ArchiveTarget target) {
    return target.list().keySet().stream().anyMatch(ArchiveNames::isObject);
  }

  /**
   * The store of an archive.
   *
   * @param problem of the object that names it, or null. Then each other object names it, too
   */
  record Owner(StoreId storeId, @Nullable String problem) {}

  /**
   * Returns the store of an archive.
   *
   * @return empty if the target holds no archive yet
   * @throws CorruptStoreException if no object names it
   */
  static Optional<Owner> owner(
      ArchiveTarget target, SortedMap<String, Long> objects, PayloadCoding coding) {
    Long length = objects.get(ArchiveNames.ARCHIVE);
    try (FrameReader reader = new FrameReader(target, coding)) {
      if (length != null) {
        Optional<StoreId> named = owner(reader, ArchiveNames.ARCHIVE, length);
        if (named.isPresent()) {
          return Optional.of(new Owner(named.get(), null));
        }
      }
      String problem = ArchiveNames.ARCHIVE + (length == null ? " is missing" : " is damaged");
      for (Map.Entry<String, Long> object : objects.entrySet()) {
        if (ArchiveNames.part(object.getKey()).isPresent()) {
          Optional<StoreId> named = owner(reader, object.getKey(), object.getValue());
          if (named.isPresent()) {
            return Optional.of(new Owner(named.get(), problem));
          }
        }
      }
    }
    if (length != null) {
      throw new CorruptStoreException(ArchiveNames.ARCHIVE, 0, "it does not name an archive");
    }
    return Optional.empty();
  }

  private static Optional<StoreId> owner(FrameReader reader, String object, long length) {
    try {
      Frame frame = reader.read(object, 0, length);
      return Optional.ofNullable(frame).map(first -> first.run().storeId());
    } catch (CorruptStoreException e) {
      return Optional.empty(); // another object may be whole
    } catch (StorageException e) {
      if (e.reason() == StorageException.Reason.MISSING) {
        return Optional.empty(); // it was removed meanwhile
      }
      throw e;
    }
  }

  /** Returns the newest base that is complete, if the bases that it refers to are there. */
  static Optional<Base> newestBase(
      ArchiveTarget target,
      SortedMap<String, Long> objects,
      StoreId storeId,
      PayloadCoding coding) {
    try (Reading reading = new Reading(target, storeId, coding)) {
      for (Map.Entry<String, Long> object : objects.reversed().entrySet()) {
        String name = object.getKey();
        Optional<ArchiveNames.Part> part = ArchiveNames.part(name);
        if (part.isPresent() && part.get().isBase()) {
          reading.read(name, object.getValue(), part.get());
          Optional<Base> read = reading.bases.stream().findFirst();
          if (read.isPresent()) {
            return read.filter(base -> objects.keySet().containsAll(base.chain().objects()));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the latest time of a mark, 0 if there is none. */
  static long latestMillis(
      ArchiveTarget target,
      SortedMap<String, Long> objects,
      StoreId storeId,
      PayloadCoding coding) {
    try (Reading reading = new Reading(target, storeId, coding)) {
      for (Map.Entry<String, Long> object : objects.reversed().entrySet()) {
        String name = object.getKey();
        Optional<ArchiveNames.Part> part = ArchiveNames.part(name);
        if (part.isPresent() && !part.get().isBase()) {
          reading.read(name, object.getValue(), part.get());
          Optional<Mark> last =
              reading.stretches.isEmpty()
                  ? Optional.empty()
                  : reading.stretches.getLast().marks.last();
          if (last.isPresent()) {
            return last.get().millis();
          }
        }
      }
    }
    return 0;
  }

  /**
   * Reads an archive.
   *
   * @throws UnsupportedStoreException if there is none
   */
  public static ArchiveIndex read(ArchiveTarget target, PayloadCoding coding) {
    SortedMap<String, Long> objects = target.list();
    Owner owner =
        owner(target, objects, coding)
            .orElseThrow(
                () -> new UnsupportedStoreException("there is no archive in " + target.describe()));
    StoreId storeId = owner.storeId();
    long bytes = 0;
    try (Reading reading = new Reading(target, storeId, coding)) {
      if (owner.problem() != null) {
        reading.problems.add(owner.problem());
      }
      for (Map.Entry<String, Long> object : objects.entrySet()) {
        bytes += object.getValue();
        Optional<ArchiveNames.Part> part = ArchiveNames.part(object.getKey());
        if (part.isPresent()) {
          reading.read(object.getKey(), object.getValue(), part.get());
        }
      }
      reading.noteForks();
      ArchiveIndex index =
          new ArchiveIndex(
              target.describe(),
              storeId,
              reading.bases,
              reading.stretches,
              reading.problems,
              bytes);
      index.bases.stream()
          .filter(base -> index.chain(base).isEmpty())
          .forEach(
              base -> index.problems.add(base.object() + ": a base that it refers to is missing"));
      return index;
    }
  }

  /** Collects what the objects have, in the order of their names. */
  private static final class Reading implements AutoCloseable {
    private final StoreId storeId;
    private final FrameReader reader;
    final List<Base> bases = new ArrayList<>();
    final List<Stretch> stretches = new ArrayList<>();
    final List<String> problems = new ArrayList<>();

    Reading(ArchiveTarget target, StoreId storeId, PayloadCoding coding) {
      this.storeId = storeId;
      this.reader = new FrameReader(target, coding);
    }

    void read(String object, long length, ArchiveNames.Part part) {
      try {
        if (part.isBase()) {
          readBase(object, length, part);
        } else {
          readLog(object, length, part);
        }
      } catch (CorruptStoreException e) {
        // A crash leaves an incomplete frame at the end of an object. Damage looks the same. What
        // is behind it does not count, and a gap shows in the ranges.
        problems.add(String.valueOf(e.getMessage()));
      } catch (StorageException e) {
        if (e.reason() != StorageException.Reason.MISSING) {
          throw e; // otherwise retention has removed it since it was listed
        }
      }
    }

    /**
     * Notes LSNs that were used twice. A store that is opened again has recovered all that its
     * archive has, unless it was restored to an earlier moment.
     */
    void noteForks() {
      Superblock opening = null;
      long lastLsn = 0;
      for (Base base : bases) {
        Superblock start = base.start();
        if (opening != null
            && (start.generation() != opening.generation()
                || start.baseLsn() != opening.baseLsn())) {
          if (start.baseLsn() < lastLsn) {
            problems.add(
                "run "
                    + base.run().number()
                    + " begins at LSN "
                    + start.baseLsn()
                    + ", and the archive continues to LSN "
                    + lastLsn
                    + " before it: the store went back to an earlier moment. An LSN that both have"
                    + " means the newer run; times tell them apart");
          }
          lastLsn = 0;
        }
        opening = start;
        for (Stretch stretch : stretches) {
          if (stretch.run.equals(base.run())) {
            lastLsn = Math.max(lastLsn, stretch.marks.last().map(Mark::lsn).orElse(0L));
          }
        }
      }
    }

    private @Nullable Frame frame(
        String object, long offset, long length, ArchiveNames.Part part, long sequence) {
      Frame frame = reader.read(object, offset, length);
      if (frame != null
          && (!frame.run().storeId().equals(storeId)
              || frame.run().number() != part.run()
              || (int) frame.run().nonce() != part.nonce()
              || frame.sequence() != sequence)) {
        throw new CorruptStoreException(object, offset, "the frame belongs elsewhere");
      }
      return frame;
    }

    private void readBase(String object, long length, ArchiveNames.Part part) {
      Superblock start = null;
      BaseChain chain = BaseChain.NONE;
      long imageEnd = 0;
      long sequence = 0;
      for (Frame frame = frame(object, 0, length, part, sequence);
          frame != null;
          frame = frame(object, frame.end(), length, part, ++sequence)) {
        switch (frame.kind()) {
          case BASE -> {
            start = superblock(frame);
            imageEnd = frame.second();
            if (imageEnd < 0 || imageEnd > start.geometry().maxSizeBytes()) {
              throw new CorruptStoreException(
                  object, frame.offset(), "the image ends at " + imageEnd + ", behind the region");
            }
          }
          case CHAIN ->
              chain =
                  BaseChain.decode(object, reader.payload(frame))
                      .orElseThrow(
                          () ->
                              new CorruptStoreException(
                                  object, 0, "it refers to bases that cannot be"));
          case PAGES, DIGESTS -> {}
          case BASE_END -> {
            if (start == null) {
              throw new CorruptStoreException(object, 0, "the start of the base is missing");
            }
            bases.add(
                new Base(
                    frame.run(),
                    part.number(),
                    object,
                    chain,
                    start,
                    superblock(frame),
                    frame.third(),
                    imageEnd,
                    length));
            return;
          }
          default ->
              throw new CorruptStoreException(
                  object, frame.offset(), "a frame of the kind " + frame.kind() + " in a base");
        }
      }
      problems.add(object + ": the base was not completed");
    }

    private Superblock superblock(Frame frame) {
      ByteBuffer slot = reader.payload(frame);
      return SuperblockFile.decode(slot)
          .filter(superblock -> superblock.storeId().equals(storeId))
          .orElseThrow(
              () ->
                  new CorruptStoreException(
                      frame.object(), frame.offset(), "the state of the store is damaged"));
    }

    private void readLog(String object, long length, ArchiveNames.Part part) {
      Marked marked = null;
      long sequence = 0;
      try {
        for (Frame frame = frame(object, 0, length, part, sequence);
            frame != null;
            frame = frame(object, frame.end(), length, part, ++sequence)) {
          if (marked == null) {
            if (frame.kind() != FrameKind.LOG_START) {
              throw new CorruptStoreException(object, 0, "the log does not begin with its place");
            }
            Stretch stretch = stretch(frame);
            marked = new Marked(stretch, object, frame.third());
            continue;
          }
          switch (frame.kind()) {
            case LOG -> marked.add(frame);
            case MARK -> marked.mark(frame);
            default ->
                throw new CorruptStoreException(
                    object, frame.offset(), "a frame of the kind " + frame.kind() + " in the log");
          }
        }
      } finally {
        if (marked != null) {
          marked.end();
        }
      }
    }

    /** Returns the stretch that an object continues, or a new one after a gap. */
    private Stretch stretch(Frame start) {
      Stretch last = stretches.isEmpty() ? null : stretches.getLast();
      if (last != null && last.run.equals(start.run()) && start.third() <= last.nextBatch) {
        return last;
      }
      if (last != null && last.run.equals(start.run())) {
        problems.add(
            start.object()
                + ": batches "
                + last.nextBatch
                + " to "
                + (start.third() - 1)
                + " of the log before it are missing");
      }
      Stretch next = new Stretch(start.run(), start.third());
      stretches.add(next);
      return next;
    }

    /**
     * The log of one object. Frames count with the mark behind them. All but the last mark were
     * forced, with all before them, before the next frame was written. Of the last one this is not
     * known: a power cut at the place may have left the mark and not the bytes before it. So these
     * are read.
     */
    private final class Marked {
      private final Stretch stretch;
      private final String object;
      private final long firstBatch;
      private long nextBatch;
      private final List<Frame> unmarked = new ArrayList<>();

      /** The frames before the last mark that counts, and behind the mark before that. */
      private List<Frame> last = List.of();

      /** End of the last mark, and of the mark before that. */
      private long endBytes;

      private long formerEndBytes;

      /** The batch behind the mark before the last one. */
      private long formerNextBatch;

      Marked(Stretch stretch, String object, long firstBatch) {
        this.stretch = stretch;
        this.object = object;
        this.firstBatch = firstBatch;
        this.nextBatch = stretch.nextBatch;
      }

      void add(Frame frame) {
        if (frame.third() > nextBatch || frame.fourth() < frame.third()) {
          throw new CorruptStoreException(
              frame.object(),
              frame.offset(),
              "the log continues with batch " + frame.third() + " instead of " + nextBatch);
        }
        if (frame.fourth() >= nextBatch) {
          unmarked.add(frame);
          nextBatch = frame.fourth() + 1;
        }
      }

      void mark(Frame frame) {
        Mark former = stretch.marks.last().orElse(new Mark(0, 0, 0));
        if (frame.third() > nextBatch
            || frame.first() < former.lsn()
            || frame.second() < former.millis()) {
          throw new CorruptStoreException(
              frame.object(), frame.offset(), "the mark contradicts the log before it");
        }
        last = List.copyOf(unmarked);
        unmarked.clear();
        formerEndBytes = endBytes;
        endBytes = frame.end();
        formerNextBatch = stretch.nextBatch;
        stretch.marks.add(new Mark(frame.first(), frame.second(), nextBatch));
        stretch.nextBatch = nextBatch;
      }

      void end() {
        try {
          last.forEach(reader::payload);
        } catch (CorruptStoreException e) {
          problems.add(String.valueOf(e.getMessage()));
          stretch.marks.removeLast();
          stretch.nextBatch = formerNextBatch;
          endBytes = formerEndBytes;
        }
        stretch.objects.add(new LogObject(object, firstBatch, endBytes));
      }
    }

    @Override
    public void close() {
      reader.close();
    }
  }

  /** Returns the store whose archive it is. */
  public StoreId storeId() {
    return storeId;
  }

  /** Returns the name of the place, for messages. */
  public String place() {
    return place;
  }

  /** Returns the length of all objects. */
  public long bytes() {
    return bytes;
  }

  /** Returns what is incomplete or damaged, in words. */
  public List<String> problems() {
    return Collections.unmodifiableList(problems);
  }

  List<Base> bases() {
    return bases;
  }

  List<Stretch> stretches() {
    return stretches;
  }

  /** Returns the bases that a base refers to, newest first; empty if one of them is not there. */
  Optional<List<Base>> chain(Base base) {
    List<Base> found = new ArrayList<>();
    for (int i = 0; i < base.chain().objects().size(); i++) {
      String object = base.chain().objects().get(i);
      BaseChain rest = base.chain().behind(i);
      bases.stream()
          .filter(former -> former.object().equals(object) && former.chain().equals(rest))
          .forEach(found::add);
    }
    return found.size() == base.chain().objects().size() ? Optional.of(found) : Optional.empty();
  }

  /**
   * Returns the stretch of log behind a base, if it has a moment that the base needs and the bases
   * that it refers to are there.
   */
  Optional<Stretch> behind(Base base) {
    if (chain(base).isEmpty()) {
      return Optional.empty();
    }
    for (Stretch stretch : stretches) {
      if (stretch.continues(base)
          && stretch.marks.last().filter(last -> last.lsn() >= base.lsn()).isPresent()) {
        return Optional.of(stretch);
      }
    }
    return Optional.empty();
  }

  /** Returns the bases that can be restored, oldest first. */
  List<Base> usableBases() {
    return bases.stream().filter(base -> behind(base).isPresent()).toList();
  }

  /** Returns what can be restored, oldest first. */
  public List<Range> ranges() {
    List<Range> ranges = new ArrayList<>();
    for (Stretch stretch : stretches) {
      Base oldest = null;
      for (Base base : bases) {
        if (behind(base).filter(found -> found == stretch).isPresent()
            && (oldest == null || base.lsn() < oldest.lsn())) {
          oldest = base;
        }
      }
      if (oldest != null) {
        long from = oldest.lsn();
        Mark first = stretch.marks.firstFrom(from).orElseThrow();
        Mark last = stretch.marks.last().orElseThrow();
        ranges.add(new Range(stretch.run.number(), oldest.number(), from, first, last));
      }
    }
    return ranges;
  }
}
