package io.howdah.testkit.disk;

import io.howdah.testkit.crash.Crash;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.schedule.Mixer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what recoveries made of crashed disks, by what they have read, so that a disk that
 * differs from one seen before only in units that the recovery never reads need not be recovered.
 *
 * <p>Why that is right: under a {@code SimulatedExecution} with the same schedule, and with random
 * numbers that do not depend on the disk's past, a recovery is a function of what the disk answers
 * to it. As long as two disks give the same answers, it asks the same questions of both, in the
 * same order. So if a disk has, in every unit that a recovery read of another one, the same bytes,
 * this recovery does the same on it, and ends the same.
 *
 * <p>Answers are compared unit by unit for the contents of files. All names, lengths, volatile
 * places and the boot identity count as read, whether they were or not. A unit that a recovery
 * overwrites as a whole before it reads it was not read. Contents are compared by hashes of 64
 * bits. The space that is free is not compared: disks here are never full.
 *
 * <p>That recoveries are such functions is checked on the way: two that have read the same so far,
 * and read something else next, are an {@link IllegalStateException}.
 *
 * <p>Not thread-safe.
 *
 * @param <T> what a recovery makes of a disk
 */
public final class RecoveryMemo<T> {

  /** What is read next, once everything on the way here was read. */
  private static final class Node<T> {
    /** What is read; {@link #END} if nothing more is. */
    long place = UNKNOWN;

    @Nullable T outcome;

    // Most places are read with one content only.
    private long firstKey;
    private @Nullable Node<T> first;
    private @Nullable Map<Long, Node<T>> more;

    @Nullable Node<T> get(long key) {
      if (first != null && firstKey == key) {
        return first;
      }
      return more == null ? null : more.get(key);
    }

    Node<T> getOrAdd(long key) {
      Node<T> known = get(key);
      if (known != null) {
        return known;
      }
      Node<T> fresh = new Node<>();
      if (first == null) {
        firstKey = key;
        first = fresh;
      } else {
        if (more == null) {
          more = new HashMap<>();
        }
        more.put(key, fresh);
      }
      return fresh;
    }
  }

  private static final long UNKNOWN = -2;
  private static final long END = -1;

  private static final int MAX_MISSES = 512;

  private final Node<T> root = new Node<>();
  private long nodes;

  /** Creates an empty memo. */
  public RecoveryMemo() {
    root.place = 0;
  }

  /** Returns about how much it holds: reads that are remembered. */
  public long size() {
    return nodes;
  }

  /** Forgets everything. {@link At}s from before are not to be used any more. */
  public void clear() {
    root.first = null;
    root.more = null;
    nodes = 0;
  }

  /**
   * Returns the disks that a crash leaves at this moment.
   *
   * @param life a number that tells what the recovery's random numbers follow from: disks are
   *     compared only with those of the same life
   */
  public At<T> at(SimulatedDisk crashed, CrashPoint point, CrashKind kind, long life) {
    return new At<>(this, crashed, point, kind, life);
  }

  /** A disk whose reads are noted. */
  public static final class Left {
    private final SimulatedDisk disk;
    private final ReadNotes notes;

    private Left(SimulatedDisk disk) {
      this.disk = disk;
      this.notes = disk.watch();
    }

    /** Returns the disk, to run one recovery on. */
    public SimulatedDisk disk() {
      return disk;
    }

    /** Returns how many units have been read. */
    public int reads() {
      return notes.count();
    }
  }

  /**
   * The disks that one crash may leave. Not thread-safe.
   *
   * @param <T> what a recovery makes of a disk
   */
  public static final class At<T> {

    private final RecoveryMemo<T> memo;
    private final SimulatedDisk crashed;
    private final CrashPoint point;
    private final CrashKind kind;
    private final long life;
    private final CrashStates states;
    private final Map<Long, Long> frames = new HashMap<>();

    /** How many more looks into the whole memo may fail: they are slow. */
    private int misses = MAX_MISSES;

    /** The memo's tree, without the reads that all disks here answer alike. */
    private final Node<T> local = new Node<>();

    /** Where the whole memo goes on behind reads that all disks here answer alike. */
    private final Map<Node<T>, Node<T>> behind = new HashMap<>();

    /** Where it ends in such a read, until something is learned. */
    private final Set<Node<T>> ending = new HashSet<>();

    private At(
        RecoveryMemo<T> memo, SimulatedDisk crashed, CrashPoint point, CrashKind kind, long life) {
      this.memo = memo;
      this.crashed = crashed;
      this.point = point;
      this.kind = kind;
      this.life = life;
      this.states = crashed.crashStates();
      local.place = 0;
    }

    /** Returns the legal states of the crash; a kind that loses nothing keeps everything. */
    public CrashStates states() {
      return states;
    }

    /** Returns the disk that a choice leaves, with its reads noted. */
    public Left leave(CrashChoice choice) {
      return new Left(disk(choice));
    }

    private SimulatedDisk disk(CrashChoice choice) {
      Crash crash = new Crash(point, kind, choice);
      return crashed.after(crash, kind.losesUnforced() ? states : null);
    }

    /**
     * Returns what a recovery makes of the disk that a choice leaves, if that is known. After many
     * questions without an answer, what is known from other moments no longer counts.
     */
    public @Nullable T find(CrashChoice wanted) {
      CrashChoice choice = left(wanted);
      long frame = frame(choice);
      Node<T> node = local.get(frame);
      while (node != null && node.place >= 0) {
        node = node.get(states.unitHash(choice, node.place));
      }
      if (node != null && node.place == END) {
        return node.outcome;
      }
      return misses > 0 ? findInAll(choice, frame) : null;
    }

    private @Nullable T findInAll(CrashChoice choice, long frame) {
      ReadNotes path = new ReadNotes();
      Node<T> node = skip(memo.root.get(frame), choice);
      while (node != null && node.place >= 0) {
        long hash = states.unitHash(choice, node.place);
        path.add(node.place, hash);
        node = skip(node.get(hash), choice);
      }
      if (node == null || node.place != END) {
        misses--;
        return null;
      }
      T outcome = node.outcome;
      if (outcome != null) {
        addLocal(frame, path, outcome);
      }
      return outcome;
    }

    /**
     * Goes on over reads that all disks here answer alike: most reads, and of names and lengths
     * that are the same, since nodes below each frame are its own.
     */
    private @Nullable Node<T> skip(@Nullable Node<T> from, CrashChoice choice) {
      if (from == null || !isAlike(from)) {
        return from;
      }
      if (ending.contains(from)) {
        return null;
      }
      Node<T> known = behind.get(from);
      if (known != null) {
        return known;
      }
      Node<T> node = from;
      while (node != null && isAlike(node)) {
        node = node.get(states.unitHash(choice, node.place));
      }
      if (node == null) {
        ending.add(from);
      } else {
        behind.put(from, node);
      }
      return node;
    }

    private boolean isAlike(Node<T> node) {
      return node.place >= 0 && states.positionOf(node.place) < 0;
    }

    private void addLocal(long frame, ReadNotes path, T outcome) {
      Node<T> node = local.getOrAdd(frame);
      for (int i = 0; i < path.count(); i++) {
        if (states.positionOf(path.place(i)) >= 0) {
          node.place = path.place(i);
          node = node.getOrAdd(path.hash(i));
        }
      }
      node.place = END;
      node.outcome = outcome;
    }

    /**
     * Remembers what a recovery made of a disk.
     *
     * @param left what {@link #leave} returned for this choice
     * @throws IllegalStateException if another recovery that read the same read on differently
     */
    public void learn(CrashChoice choice, Left left, T outcome) {
      ending.clear();
      long frame = frame(left(choice));
      Node<T> node = memo.root.getOrAdd(frame);
      ReadNotes path = left.notes;
      for (int i = 0; i < path.count(); i++) {
        require(node, path.place(i), i);
        node.place = path.place(i);
        node = node.getOrAdd(path.hash(i));
        memo.nodes++;
      }
      require(node, END, path.count());
      node.place = END;
      node.outcome = outcome;
      addLocal(frame, path, outcome);
    }

    private static <T> void require(Node<T> node, long place, int read) {
      if (node.place != UNKNOWN && node.place != place) {
        throw new IllegalStateException(
            "the recovery is no function of what it reads: read "
                + read
                + " is of place "
                + Long.toHexString(place)
                + ", and was of "
                + Long.toHexString(node.place)
                + " on a disk that answered the same until there");
      }
    }

    /** Returns the choice itself, unless nothing is lost. */
    private CrashChoice left(CrashChoice choice) {
      return kind.losesUnforced() ? choice : CrashChoice.KEEP_ALL;
    }

    private long frame(CrashChoice choice) {
      long key = states.frame(choice);
      Long known = frames.get(key);
      if (known == null) {
        known = Mixer.mix(disk(choice).frame(), life);
        frames.put(key, known);
      }
      return known;
    }
  }
}
