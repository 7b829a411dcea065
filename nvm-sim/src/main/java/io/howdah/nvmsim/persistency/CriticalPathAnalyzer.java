package io.howdah.nvmsim.persistency;

import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.Arrays;

/**
 * Finds the critical path of persist order under one model while a trace streams by (<i>Memory
 * Persistency</i>, ISCA 2014, §7).
 *
 * <p>A dependence is a pair: the highest level among the persists depended on, and which persist
 * stands there, or {@link #MANY}. Joining two keeps the higher level; two different persists at one
 * level give {@code MANY}. That is all a persist needs to know to find its own level and to decide
 * whether it may merge into the last persist of its block: it may if everything it must follow lies
 * strictly below that persist, or is that persist.
 *
 * <p>State: per thread what is ordered before it and what it has seen; per tracking block the last
 * store and the loads since; per persist block the last persist. Memory use depends on the blocks a
 * trace touches, not on its length. Wide and unaligned stores persist as aligned 8-byte words,
 * which are concurrent among themselves.
 */
public final class CriticalPathAnalyzer implements TraceSink {
  /** Write-backs work on whole lines of caches. */
  private static final long LINE_BYTES = 64;

  private static final long NONE = 0;
  private static final long MANY = -1;

  /** Tracking block: key, store level and id, loads' level and id. */
  private static final int STORE_LEVEL = 1;

  private static final int STORE_ID = 2;
  private static final int LOAD_LEVEL = 3;
  private static final int LOAD_ID = 4;
  private static final int LOG2_TRACKING_STRIDE = 3;

  /** Persist block: key, level and id of its last persist, stores absorbed by it. */
  private static final int PERSIST_LEVEL = 1;

  private static final int PERSIST_ID = 2;
  private static final int PERSIST_STORES = 3;
  private static final int LOG2_PERSIST_STRIDE = 2;

  /** Thread: level and id of what is ordered, level and id of what is seen. */
  private static final int ORDERED_LEVEL = 0;

  private static final int ORDERED_ID = 1;
  private static final int SEEN_LEVEL = 2;
  private static final int SEEN_ID = 3;

  /** Seen in the strands before this one. */
  private static final int EARLIER_LEVEL = 4;

  private static final int EARLIER_ID = 5;

  /** Waited for. */
  private static final int DURABLE_LEVEL = 6;

  private static final int DURABLE_ID = 7;

  /** Written back since the thread began. */
  private static final int WRITTEN_LEVEL = 8;

  private static final int WRITTEN_ID = 9;
  private static final int THREAD_STRIDE = 10;

  private final PersistencyModel model;
  private final AnalysisOptions options;
  private final boolean observesAccesses;
  private final boolean tracksVolatile;
  private final boolean tracksLoads;
  private final boolean accessGranular;
  private final int trackingShift;
  private final int persistShift;
  private final long maxStores;
  private final BlockTable tracking;
  private final BlockTable persists;
  private final LevelHistogram histogram = new LevelHistogram();
  private final Cursor cursor = new Cursor();
  private long[] threads = new long[16 * THREAD_STRIDE];

  private long length;
  private long operations;
  private long issued;
  private long performed;
  private long syncs;
  private long events;
  private boolean regionOfInterest = true;

  /** Length where the region of interest began, and what earlier regions added to it. */
  private long regionStart;

  private long earlierRegions;

  /** Result registers of the helpers below, to return two longs without allocating. */
  private long level;

  private long id;

  public CriticalPathAnalyzer(PersistencyModel model, AnalysisOptions options) {
    this.model = model;
    this.options = options;
    this.observesAccesses = model.observesAccesses();
    this.tracksVolatile = model.tracksVolatile();
    this.tracksLoads = model.tracksLoads();
    this.accessGranular = options.accessGranularConflicts();
    this.trackingShift = Integer.numberOfTrailingZeros(options.trackingGranularity());
    this.persistShift = Integer.numberOfTrailingZeros(options.persistGranularity());
    this.maxStores =
        options.maxStoresPerPersist() == 0 ? Long.MAX_VALUE : options.maxStoresPerPersist();
    this.tracking = new BlockTable(LOG2_TRACKING_STRIDE, options.maxBlocks());
    this.persists = new BlockTable(LOG2_PERSIST_STRIDE, options.maxBlocks());
  }

  @Override
  public void accept(EventBatch batch) {
    long[] packed = batch.packed();
    long[] addresses = batch.addresses();
    int count = batch.count();
    for (int i = 0; i < count; i++) {
      long event = packed[i];
      int kind = Event.kind(event);
      int thread = Event.thread(event) * THREAD_STRIDE;
      if (thread >= threads.length) {
        threads = Arrays.copyOf(threads, Math.max(threads.length * 2, thread + THREAD_STRIDE));
      }
      if (kind <= Event.RMW) {
        access(event, kind, thread, addresses[i]);
      } else {
        marker(event, kind, thread, addresses[i]);
      }
    }
    events += count;
  }

  /** The result for the trace so far. */
  public CriticalPath result() {
    return new CriticalPath(
        model.name(),
        options,
        length,
        earlierRegions + (regionOfInterest ? length - regionStart : 0),
        operations,
        issued,
        performed,
        syncs,
        events);
  }

  /** Persists per level so far. */
  public LevelHistogram histogram() {
    return histogram;
  }

  private void marker(long event, int kind, int thread, long address) {
    switch (kind) {
      case Event.PERSIST_BARRIER -> model.onBarrier(cursor.at(thread));
      case Event.NEW_STRAND -> model.onNewStrand(cursor.at(thread));
      case Event.FLUSH -> model.onFlush(cursor.at(thread), address, Event.size(event));
      case Event.FENCE -> model.onFence(cursor.at(thread));
      case Event.PERSIST_SYNC -> {
        syncs++;
        model.onSync(cursor.at(thread));
      }
      case Event.OP_END -> operations += regionOfInterest ? 1 : 0;
      case Event.ROI_ON -> {
        if (!regionOfInterest) {
          regionOfInterest = true;
          regionStart = length;
        }
      }
      case Event.ROI_OFF -> {
        if (regionOfInterest) {
          regionOfInterest = false;
          earlierRegions += length - regionStart;
        }
      }
      default -> {}
    }
  }

  private void access(long event, int kind, int thread, long address) {
    boolean persistent = Event.isPersistent(event);
    boolean tracked = persistent || tracksVolatile;
    int size = Event.size(event);
    if ((address & 7) + size > Long.BYTES) {
      wideAccess(event, kind, thread, address);
    } else if (tracked) {
      int block = tracking.find(address >>> trackingShift);
      long[] table = tracking.slots();
      long[] state = threads;
      long orderedLevel = state[thread + ORDERED_LEVEL];
      long orderedId = state[thread + ORDERED_ID];
      // join(ordered, last store)
      long otherLevel = table[block + STORE_LEVEL];
      long otherId = table[block + STORE_ID];
      if (otherLevel > orderedLevel) {
        orderedLevel = otherLevel;
        orderedId = otherId;
      } else if (otherLevel == orderedLevel && otherId != orderedId) {
        orderedId = MANY;
      }
      if (kind == Event.LOAD) {
        if (tracksLoads) {
          otherLevel = table[block + LOAD_LEVEL];
          if (orderedLevel > otherLevel) {
            table[block + LOAD_LEVEL] = orderedLevel;
            table[block + LOAD_ID] = orderedId;
          } else if (orderedLevel == otherLevel && orderedId != table[block + LOAD_ID]) {
            table[block + LOAD_ID] = MANY;
          }
        }
      } else {
        otherLevel = table[block + LOAD_LEVEL];
        otherId = table[block + LOAD_ID];
        if (otherLevel > orderedLevel) {
          orderedLevel = otherLevel;
          orderedId = otherId;
        } else if (otherLevel == orderedLevel && otherId != orderedId) {
          orderedId = MANY;
        }
        if (persistent) {
          persist(address >>> persistShift, orderedLevel, orderedId);
          orderedLevel = level;
          orderedId = id;
        }
        table[block + STORE_LEVEL] = orderedLevel;
        table[block + STORE_ID] = orderedId;
        table[block + LOAD_LEVEL] = 0;
        table[block + LOAD_ID] = NONE;
      }
      // seen = join(seen, this access)
      long seenLevel = state[thread + SEEN_LEVEL];
      if (orderedLevel > seenLevel) {
        state[thread + SEEN_LEVEL] = orderedLevel;
        state[thread + SEEN_ID] = orderedId;
      } else if (orderedLevel == seenLevel && orderedId != state[thread + SEEN_ID]) {
        state[thread + SEEN_ID] = MANY;
      }
    }
    if (observesAccesses) {
      model.onAccess(cursor.at(thread), kind, persistent, address, size);
    }
  }

  /**
   * A persist that must follow the given dependence: merges into its block's last persist or makes
   * a new one. Leaves the persist's own level and id in the registers.
   */
  private void persist(long persistBlock, long afterLevel, long afterId) {
    issued++;
    int block = persists.find(persistBlock);
    long[] table = persists.slots();
    long lastLevel = table[block + PERSIST_LEVEL];
    long lastId = table[block + PERSIST_ID];
    if ((afterLevel < lastLevel || (afterLevel == lastLevel && afterId == lastId && lastId != NONE))
        && table[block + PERSIST_STORES] < maxStores) {
      table[block + PERSIST_STORES]++;
      level = lastLevel;
      id = lastId;
      return;
    }
    long newLevel = Math.max(afterLevel, lastLevel) + 1;
    long newId = ++performed;
    table[block + PERSIST_LEVEL] = newLevel;
    table[block + PERSIST_ID] = newId;
    table[block + PERSIST_STORES] = 1;
    histogram.add(newLevel);
    if (newLevel > length) {
      length = newLevel;
    }
    level = newLevel;
    id = newId;
  }

  /** An access that touches more than one word. Its words are concurrent with each other. */
  private void wideAccess(long event, int kind, int thread, long address) {
    long end = address + Event.size(event);
    boolean persistent = Event.isPersistent(event);
    if (!persistent && !tracksVolatile) {
      return;
    }
    long allLevel = threads[thread + ORDERED_LEVEL];
    long allId = threads[thread + ORDERED_ID];
    if (accessGranular) {
      level = allLevel;
      id = allId;
      for (long b = address >>> trackingShift; b <= (end - 1) >>> trackingShift; b++) {
        joinConflicts(tracking.find(b), kind);
      }
      allLevel = level;
      allId = id;
    }
    long sumLevel = 0;
    long sumId = NONE;
    for (long b = address >>> trackingShift; b <= (end - 1) >>> trackingShift; b++) {
      int block = tracking.find(b);
      level = allLevel;
      id = allId;
      joinConflicts(block, kind);
      long[] table = tracking.slots();
      if (kind == Event.LOAD) {
        if (tracksLoads) {
          long ownLevel = level;
          long ownId = id;
          join(table[block + LOAD_LEVEL], table[block + LOAD_ID]);
          table[block + LOAD_LEVEL] = level;
          table[block + LOAD_ID] = id;
          level = ownLevel;
          id = ownId;
        }
      } else {
        if (persistent) {
          persistWords(
              Math.max(address, b << trackingShift), Math.min(end, (b + 1) << trackingShift));
        }
        table[block + STORE_LEVEL] = level;
        table[block + STORE_ID] = id;
        table[block + LOAD_LEVEL] = 0;
        table[block + LOAD_ID] = NONE;
      }
      long blockLevel = level;
      long blockId = id;
      level = sumLevel;
      id = sumId;
      join(blockLevel, blockId);
      sumLevel = level;
      sumId = id;
    }
    level = threads[thread + SEEN_LEVEL];
    id = threads[thread + SEEN_ID];
    join(sumLevel, sumId);
    threads[thread + SEEN_LEVEL] = level;
    threads[thread + SEEN_ID] = id;
  }

  /** Persists each word of a range after the registers; leaves the join of them there. */
  private void persistWords(long from, long to) {
    long afterLevel = level;
    long afterId = id;
    long sumLevel = 0;
    long sumId = NONE;
    for (long word = from & ~7L; word < to; word += Long.BYTES) {
      persist(word >>> persistShift, afterLevel, afterId);
      join(sumLevel, sumId);
      sumLevel = level;
      sumId = id;
    }
  }

  /** Registers = join(registers, what an access of this kind to the block conflicts with). */
  private void joinConflicts(int block, int kind) {
    long[] table = tracking.slots();
    join(table[block + STORE_LEVEL], table[block + STORE_ID]);
    if (kind != Event.LOAD) {
      join(table[block + LOAD_LEVEL], table[block + LOAD_ID]);
    }
  }

  private void join(long otherLevel, long otherId) {
    if (otherLevel > level) {
      level = otherLevel;
      id = otherId;
    } else if (otherLevel == level && otherId != id) {
      id = MANY;
    }
  }

  /** The order of one thread, as the model sees it. */
  private final class Cursor implements ThreadOrder {
    private int thread;

    Cursor at(int index) {
      thread = index;
      return this;
    }

    @Override
    public void orderSeen() {
      long[] state = threads;
      long seenLevel = state[thread + SEEN_LEVEL];
      long orderedLevel = state[thread + ORDERED_LEVEL];
      if (seenLevel > orderedLevel) {
        state[thread + ORDERED_LEVEL] = seenLevel;
        state[thread + ORDERED_ID] = state[thread + SEEN_ID];
      } else if (seenLevel == orderedLevel
          && state[thread + SEEN_ID] != state[thread + ORDERED_ID]) {
        state[thread + ORDERED_ID] = MANY;
      }
    }

    @Override
    public void writeBack(long address, int size) {
      level = threads[thread + WRITTEN_LEVEL];
      id = threads[thread + WRITTEN_ID];
      long first = (address & -LINE_BYTES) >>> trackingShift;
      long last = (address + size - 1 | LINE_BYTES - 1) >>> trackingShift;
      for (long b = first; b <= last; b++) {
        int block = tracking.find(b);
        join(tracking.slots()[block + STORE_LEVEL], tracking.slots()[block + STORE_ID]);
      }
      threads[thread + WRITTEN_LEVEL] = level;
      threads[thread + WRITTEN_ID] = id;
    }

    @Override
    public void orderWrittenBack() {
      level = threads[thread + ORDERED_LEVEL];
      id = threads[thread + ORDERED_ID];
      join(threads[thread + WRITTEN_LEVEL], threads[thread + WRITTEN_ID]);
      threads[thread + ORDERED_LEVEL] = level;
      threads[thread + ORDERED_ID] = id;
    }

    @Override
    public void forget() {
      keepSeen();
      startFrom(threads[thread + DURABLE_LEVEL], threads[thread + DURABLE_ID]);
    }

    @Override
    public void waited() {
      keepSeen();
      threads[thread + DURABLE_LEVEL] = threads[thread + EARLIER_LEVEL];
      threads[thread + DURABLE_ID] = threads[thread + EARLIER_ID];
      startFrom(threads[thread + DURABLE_LEVEL], threads[thread + DURABLE_ID]);
    }

    private void keepSeen() {
      long seenLevel = threads[thread + SEEN_LEVEL];
      long earlierLevel = threads[thread + EARLIER_LEVEL];
      if (seenLevel > earlierLevel) {
        threads[thread + EARLIER_LEVEL] = seenLevel;
        threads[thread + EARLIER_ID] = threads[thread + SEEN_ID];
      } else if (seenLevel == earlierLevel
          && threads[thread + SEEN_ID] != threads[thread + EARLIER_ID]) {
        threads[thread + EARLIER_ID] = MANY;
      }
    }

    private void startFrom(long fromLevel, long fromId) {
      threads[thread + ORDERED_LEVEL] = fromLevel;
      threads[thread + ORDERED_ID] = fromId;
      threads[thread + SEEN_LEVEL] = fromLevel;
      threads[thread + SEEN_ID] = fromId;
    }
  }
}
