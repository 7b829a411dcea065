package io.howdah.nvmsim.persistency;

import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds persist-epoch races: two epochs of different threads that both persist, contain accesses
 * that conflict, and are not ordered by synchronisation outside them (<i>Memory Persistency</i>,
 * ISCA 2014, §5.2). The conflicting accesses are ordered, the other persists of the two epochs are
 * not, although a lock may seem to order them.
 *
 * <p>Vector clocks tell which epochs of other threads lie wholly before an epoch: a clock holds,
 * per thread, how many of its epochs do.
 *
 * <p>Races are grouped by the pair of program sites; at most {@value #MAX_RACES} groups are kept,
 * and {@link #complete} tells if there were more. A race is known when both epochs have persisted,
 * which may be after the conflict; until then it is held at the epoch, {@value #MAX_PENDING} at
 * most.
 *
 * <p>Of each thread and block, the last store and the last load are remembered, and those of the
 * last epoch before that persists: if an access is ordered behind that epoch, it is behind all
 * earlier ones of the thread, too. So at least one race is found of each thread pair and block that
 * has any.
 */
public final class RaceDetector implements TraceSink {
  static final int MAX_RACES = 4096;
  static final int MAX_PENDING = 4096;

  /**
   * One side of a race.
   *
   * @param thread its thread
   * @param epoch its epoch, counted from 0 in the thread
   * @param sequence the conflicting access in the trace
   * @param event that access, packed
   * @param address its address
   */
  public record Side(int thread, long epoch, long sequence, long event, long address) {
    @Override
    public String toString() {
      return "epoch "
          + epoch
          + " of "
          + Event.describe(event, address)
          + " (event "
          + sequence
          + ")";
    }
  }

  /**
   * A race, with its first occurrence.
   *
   * @param first the earlier access
   * @param second the later one
   * @param occurrences how often the same two sites raced
   */
  public record Race(Side first, Side second, long occurrences) {
    @Override
    public String toString() {
      return first + " races with " + second + ", " + occurrences + " times";
    }
  }

  private static final class Epoch {
    final int thread;
    final long index;

    /** Epochs wholly before this one, per thread. */
    final long[] before;

    /** Epochs known to be before some access of this epoch, per thread. */
    long[] seen;

    boolean persists;
    boolean closed;
    @Nullable List<Candidate> pending;

    Epoch(int thread, long index, long[] before) {
      this.thread = thread;
      this.index = index;
      this.before = before;
      this.seen = before;
    }

    boolean isAfter(Epoch other) {
      return other.thread < before.length && before[other.thread] > other.index;
    }
  }

  private record Access(Epoch epoch, long sequence, long event, long address) {
    Side side() {
      return new Side(epoch.thread, epoch.index, sequence, event, address);
    }
  }

  private record Candidate(Access first, Access second) {}

  /** Of each thread its last access, and the last one of an earlier epoch that persists. */
  private static final class Block {
    final List<Access> stores = new ArrayList<>(2);
    final List<Access> loads = new ArrayList<>(2);

    /** Epochs before the last store, and before the loads since, per thread. */
    long[] storeClock = new long[0];

    long[] loadClock = new long[0];
  }

  private record Key(int firstSite, int secondSite, int firstKind, int secondKind, long block) {}

  private final int trackingShift;
  private final int maxBlocks;
  private final Map<Long, Block> blocks = new HashMap<>();
  private final Map<Integer, Epoch> current = new HashMap<>();
  private final Map<Key, Race> races = new LinkedHashMap<>();
  private boolean complete = true;

  /** Conflicts are noticed at the options' tracking granularity. */
  public RaceDetector(AnalysisOptions options) {
    this.trackingShift = Integer.numberOfTrailingZeros(options.trackingGranularity());
    this.maxBlocks = options.maxBlocks();
  }

  @Override
  public void accept(EventBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      long event = batch.packed()[i];
      int kind = Event.kind(event);
      if (kind <= Event.RMW) {
        access(event, batch.addresses()[i], batch.firstSequence() + i);
      } else if (kind == Event.PERSIST_BARRIER
          || kind == Event.FENCE
          || kind == Event.PERSIST_SYNC
          || kind == Event.THREAD_END) {
        endEpoch(Event.thread(event));
      }
    }
  }

  /** The races found, in the order of their first occurrence. */
  public List<Race> races() {
    return List.copyOf(races.values());
  }

  /** Whether every race found was kept. */
  public boolean complete() {
    return complete;
  }

  private Epoch epochOf(int thread) {
    return current.computeIfAbsent(thread, t -> new Epoch(t, 0, new long[t + 1]));
  }

  private void endEpoch(int thread) {
    Epoch epoch = epochOf(thread);
    epoch.closed = true;
    epoch.pending = null;
    long[] before = Arrays.copyOf(epoch.seen, Math.max(epoch.seen.length, thread + 1));
    before[thread] = epoch.index + 1;
    current.put(thread, new Epoch(thread, epoch.index + 1, before));
  }

  private void access(long event, long address, long sequence) {
    Epoch epoch = epochOf(Event.thread(event));
    if (Event.isPersist(event) && !epoch.persists) {
      epoch.persists = true;
      List<Candidate> waiting = epoch.pending;
      epoch.pending = null;
      if (waiting != null) {
        waiting.forEach(this::consider);
      }
    }
    Access access = new Access(epoch, sequence, event, address);
    long[] clock = epoch.before;
    long last = (address + Event.size(event) - 1) >>> trackingShift;
    for (long b = address >>> trackingShift; b <= last; b++) {
      Block block = blocks.computeIfAbsent(b, _ -> new Block());
      if (blocks.size() > maxBlocks) {
        throw new IllegalStateException("trace touches more than " + maxBlocks + " memory blocks");
      }
      clock = join(clock, block.storeClock);
      if (Event.isStore(event)) {
        long known = add(block.stores, access);
        conflicts(block.stores, access, known);
        conflicts(block.loads, access, known);
        block.storeClock = join(clock, block.loadClock);
        block.loadClock = new long[0];
        clock = block.storeClock;
      } else {
        long known = add(block.loads, access);
        conflicts(block.stores, access, known);
        block.loadClock = join(block.loadClock, clock);
      }
    }
    epoch.seen = join(epoch.seen, clock);
  }

  /**
   * Adds an access, newest last, and forgets those that it makes useless: of its thread in the same
   * epoch, of epochs that ended without a persist, and of earlier epochs than the last that
   * persists. Returns the access of the same epoch that it replaces, -1 if there is none.
   */
  private static long add(List<Access> accesses, Access added) {
    long replaced = -1;
    boolean persisting = false;
    for (int i = accesses.size() - 1; i >= 0; i--) {
      Access access = accesses.get(i);
      boolean ended = access.epoch.closed && !access.epoch.persists;
      if (access.epoch == added.epoch) {
        replaced = access.sequence;
        accesses.remove(i);
      } else if (ended || (access.epoch.thread == added.epoch.thread && persisting)) {
        accesses.remove(i);
      } else if (access.epoch.thread == added.epoch.thread) {
        persisting = true;
      }
    }
    accesses.add(added);
    return replaced;
  }

  /** The later of two clocks in each place. */
  private static long[] join(long[] first, long[] second) {
    long[] joined = Arrays.copyOf(first, Math.max(first.length, second.length));
    for (int i = 0; i < second.length; i++) {
      joined[i] = Math.max(joined[i], second[i]);
    }
    return joined;
  }

  /** Considers those behind one that this epoch has met already. */
  private void conflicts(List<Access> before, Access second, long known) {
    for (Access first : before) {
      if (first.sequence > known
          && first.epoch.thread != second.epoch.thread
          && !second.epoch.isAfter(first.epoch)) {
        consider(new Candidate(first, second));
      }
    }
  }

  /** Reports the race if both epochs persist, drops it if one no longer can, else waits. */
  private void consider(Candidate candidate) {
    for (Epoch epoch : List.of(candidate.first.epoch, candidate.second.epoch)) {
      if (epoch.persists) {
        continue;
      }
      if (!epoch.closed) {
        List<Candidate> pending = epoch.pending;
        if (pending == null) {
          pending = new ArrayList<>();
          epoch.pending = pending;
        }
        if (pending.size() < MAX_PENDING) {
          pending.add(candidate);
        } else {
          complete = false;
        }
      }
      return;
    }
    report(candidate);
  }

  private void report(Candidate candidate) {
    Access first = candidate.first;
    Access second = candidate.second;
    int firstSite = Event.site(first.event);
    int secondSite = Event.site(second.event);
    boolean named = firstSite != 0 && secondSite != 0;
    Key key =
        new Key(
            firstSite,
            secondSite,
            Event.kind(first.event),
            Event.kind(second.event),
            named ? 0 : second.address >>> trackingShift);
    Race known = races.get(key);
    if (known != null) {
      races.put(key, new Race(known.first, known.second, known.occurrences + 1));
    } else if (races.size() < MAX_RACES) {
      races.put(key, new Race(first.side(), second.side(), 1));
    } else {
      complete = false;
    }
  }
}
