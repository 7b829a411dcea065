package io.howdah.nvmsim.dag;

import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.persistency.ThreadOrder;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import io.howdah.nvmsim.trace.Site;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the persist DAG of a small trace: the rules of {@link
 * io.howdah.nvmsim.persistency.CriticalPathAnalyzer}, with explicit sets in place of levels. Holds
 * at most {@code maxPersists} persists; a longer trace is refused, since the order of n persists
 * takes n² bits.
 */
public final class PersistDagBuilder implements TraceSink {
  /** Default bound: the order then takes at most 32 MiB. */
  public static final int DEFAULT_MAX_PERSISTS = 1 << 14;

  private final PersistencyModel model;
  private final AnalysisOptions options;
  private final boolean coalesce;
  private final int maxPersists;

  private final List<Draft> drafts = new ArrayList<>();
  private final List<BitSet> ancestors = new ArrayList<>();
  private final List<Integer> levels = new ArrayList<>();
  private final List<PersistDag.SyncPoint> syncs = new ArrayList<>();
  private final Map<Integer, ThreadState> threads = new HashMap<>();
  private final Map<Long, BlockState> tracking = new HashMap<>();
  private final Map<Long, Draft> lastPersist = new HashMap<>();

  /** A persist under construction: coalescing may still add stores and predecessors. */
  private static final class Draft {
    final int id;
    final int thread;
    final long operation;
    final long epoch;
    final long strand;
    final List<PersistNode.Store> stores = new ArrayList<>(1);

    Draft(int id, ThreadState by) {
      this.id = id;
      this.thread = by.thread;
      this.operation = by.operation;
      this.epoch = by.epoch;
      this.strand = by.strand;
    }
  }

  private static final class BlockState {
    BitSet store = new BitSet();
    BitSet loads = new BitSet();
  }

  /** Write-backs work on whole lines of caches. */
  private static final long LINE_BYTES = 64;

  private final class ThreadState implements ThreadOrder {
    final int thread;
    final BitSet ordered = new BitSet();
    final BitSet seen = new BitSet();

    /** Seen in the strands before this one. */
    final BitSet earlier = new BitSet();

    /** Waited for. */
    final BitSet durable = new BitSet();

    /** Written back since the thread began. */
    final BitSet writtenBack = new BitSet();

    long operation = -1;
    long operations;
    long epoch;
    long strand;

    ThreadState(int thread) {
      this.thread = thread;
    }

    BitSet everSeen() {
      BitSet all = (BitSet) seen.clone();
      all.or(earlier);
      return all;
    }

    @Override
    public void orderSeen() {
      ordered.or(seen);
    }

    @Override
    public void writeBack(long address, int size) {
      long first = (address & -LINE_BYTES) / options.trackingGranularity();
      long last = (address + size - 1 | LINE_BYTES - 1) / options.trackingGranularity();
      for (long b = first; b <= last; b++) {
        BlockState block = tracking.get(b);
        if (block != null) {
          writtenBack.or(block.store);
        }
      }
    }

    @Override
    public void orderWrittenBack() {
      ordered.or(writtenBack);
    }

    @Override
    public void forget() {
      earlier.or(seen);
      startFrom(durable);
    }

    @Override
    public void waited() {
      earlier.or(seen);
      durable.or(earlier);
      startFrom(durable);
    }

    private void startFrom(BitSet set) {
      ordered.clear();
      ordered.or(set);
      seen.clear();
      seen.or(set);
    }
  }

  /**
   * Builds under a model.
   *
   * @param coalesce whether persists merge as in the critical-path analysis; without, every word
   *     stored is a persist of its own, which is what crash states are made of
   */
  public PersistDagBuilder(
      PersistencyModel model, AnalysisOptions options, boolean coalesce, int maxPersists) {
    this.model = model;
    this.options = options;
    this.coalesce = coalesce;
    this.maxPersists = maxPersists;
  }

  /** The DAG of a whole trace, every stored word a persist of its own. */
  public static PersistDag of(TraceBuffer trace, PersistencyModel model) {
    PersistDagBuilder builder =
        new PersistDagBuilder(model, AnalysisOptions.DEFAULT, false, DEFAULT_MAX_PERSISTS);
    trace.replay(builder);
    return builder.build();
  }

  @Override
  public void accept(EventBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      event(batch.packed()[i], batch.addresses()[i], batch.values()[i], batch.firstSequence() + i);
    }
  }

  private void event(long event, long address, long value, long sequence) {
    ThreadState thread = threads.computeIfAbsent(Event.thread(event), ThreadState::new);
    switch (Event.kind(event)) {
      case Event.LOAD, Event.STORE, Event.RMW -> access(thread, event, address, value, sequence);
      case Event.PERSIST_BARRIER -> {
        thread.epoch++;
        model.onBarrier(thread);
      }
      case Event.NEW_STRAND -> {
        thread.strand++;
        model.onNewStrand(thread);
      }
      case Event.FLUSH -> model.onFlush(thread, address, Event.size(event));
      case Event.FENCE -> {
        thread.epoch++;
        model.onFence(thread);
      }
      case Event.PERSIST_SYNC -> {
        thread.epoch++;
        syncs.add(new PersistDag.SyncPoint(sequence, thread.thread, closure(thread.everSeen())));
        model.onSync(thread);
      }
      case Event.OP_BEGIN -> thread.operation = thread.operations++;
      case Event.OP_END -> thread.operation = -1;
      default -> {}
    }
  }

  private void access(ThreadState thread, long event, long address, long value, long sequence) {
    int kind = Event.kind(event);
    boolean persistent = Event.isPersistent(event);
    if (persistent || model.tracksVolatile()) {
      long end = address + Event.size(event);
      long firstBlock = address / options.trackingGranularity();
      long lastBlock = (end - 1) / options.trackingGranularity();
      BitSet all = (BitSet) thread.ordered.clone();
      if (options.accessGranularConflicts()) {
        for (long b = firstBlock; b <= lastBlock; b++) {
          joinConflicts(all, b, kind);
        }
      }
      BitSet result = new BitSet();
      for (long b = firstBlock; b <= lastBlock; b++) {
        BlockState block = tracking.computeIfAbsent(b, _ -> new BlockState());
        BitSet after = (BitSet) all.clone();
        joinConflicts(after, b, kind);
        if (kind == Event.LOAD) {
          if (model.tracksLoads()) {
            block.loads.or(after);
          }
        } else {
          if (persistent) {
            long from = Math.max(address, b * options.trackingGranularity());
            long to = Math.min(end, (b + 1) * options.trackingGranularity());
            after = persistWords(thread, after, event, address, value, sequence, from, to);
          }
          block.store = after;
          block.loads = new BitSet();
        }
        result.or(after);
      }
      thread.seen.or(result);
    }
    if (model.observesAccesses()) {
      model.onAccess(thread, kind, persistent, address, Event.size(event));
    }
  }

  private void joinConflicts(BitSet into, long trackingBlock, int kind) {
    BlockState block = tracking.computeIfAbsent(trackingBlock, _ -> new BlockState());
    into.or(block.store);
    if (kind != Event.LOAD) {
      into.or(block.loads);
    }
  }

  private BitSet persistWords(
      ThreadState thread,
      BitSet after,
      long event,
      long address,
      long value,
      long sequence,
      long from,
      long to) {
    BitSet result = new BitSet();
    for (long word = from / Long.BYTES * Long.BYTES; word < to; word += Long.BYTES) {
      long start = Math.max(word, address);
      int size = (int) (Math.min(word + Long.BYTES, address + Event.size(event)) - start);
      long bytes = start - address < Long.BYTES ? value >>> (8 * (start - address)) : 0;
      long mask = size == Long.BYTES ? -1L : (1L << (8 * size)) - 1;
      PersistNode.Store store =
          new PersistNode.Store(
              sequence, thread.thread, start, size, bytes & mask, Site.of(Event.site(event)));
      result.set(persist(thread, after, store).id);
    }
    return result;
  }

  private Draft persist(ThreadState thread, BitSet after, PersistNode.Store store) {
    long block = store.address() / options.persistGranularity();
    BitSet before = closure(after);
    Draft last = lastPersist.get(block);
    if (coalesce && last != null) {
      if (mayMerge(before, last)) {
        last.stores.add(store);
        before.clear(last.id);
        addAncestors(last, before);
        return last;
      }
      before.or(ancestors.get(last.id));
      before.set(last.id);
    }
    if (drafts.size() == maxPersists) {
      throw new IllegalStateException(
          "trace has more than " + maxPersists + " persists; analyse it as a stream instead");
    }
    Draft draft = new Draft(drafts.size(), thread);
    draft.stores.add(store);
    drafts.add(draft);
    ancestors.add(before);
    levels.add(levelAbove(before));
    lastPersist.put(block, draft);
    return draft;
  }

  private int levelAbove(BitSet before) {
    int level = 0;
    for (int i = before.nextSetBit(0); i >= 0; i = before.nextSetBit(i + 1)) {
      level = Math.max(level, levels.get(i));
    }
    return level + 1;
  }

  /** The rule of the critical-path analysis: all it must follow is below the last persist. */
  private boolean mayMerge(BitSet before, Draft last) {
    if (options.maxStoresPerPersist() > 0 && last.stores.size() >= options.maxStoresPerPersist()) {
      return false;
    }
    int lastLevel = levels.get(last.id);
    for (int i = before.nextSetBit(0); i >= 0; i = before.nextSetBit(i + 1)) {
      if (i != last.id && levels.get(i) >= lastLevel) {
        return false;
      }
    }
    return true;
  }

  /** A merged store brings what it must follow; whoever follows the persist follows that too. */
  private void addAncestors(Draft draft, BitSet more) {
    ancestors.get(draft.id).or(more);
    for (int i = 0; i < ancestors.size(); i++) {
      if (ancestors.get(i).get(draft.id)) {
        ancestors.get(i).or(more);
      }
    }
  }

  /** The set with everything its members must follow. */
  private BitSet closure(BitSet set) {
    BitSet closed = (BitSet) set.clone();
    for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
      closed.or(ancestors.get(i));
    }
    return closed;
  }

  /** The DAG of what was fed so far. */
  public PersistDag build() {
    List<PersistNode> nodes = new ArrayList<>(drafts.size());
    for (Draft draft : drafts) {
      nodes.add(
          new PersistNode(
              draft.id,
              draft.thread,
              draft.operation,
              draft.epoch,
              draft.strand,
              levels.get(draft.id),
              draft.stores,
              reduced(draft.id)));
    }
    List<BitSet> order = new ArrayList<>(ancestors.size());
    ancestors.forEach(set -> order.add((BitSet) set.clone()));
    return new PersistDag(model.name(), nodes, order, syncs);
  }

  /** A node's ancestors that no other ancestor of it follows. */
  private List<Integer> reduced(int node) {
    BitSet direct = (BitSet) ancestors.get(node).clone();
    BitSet of = ancestors.get(node);
    for (int i = of.nextSetBit(0); i >= 0; i = of.nextSetBit(i + 1)) {
      direct.andNot(ancestors.get(i));
    }
    return direct.stream().boxed().toList();
  }
}
