package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import io.howdah.nvmsim.trace.TraceSink;
import io.howdah.nvmsim.trace.TraceSource;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Turns a memory trace into the transactions of one core, for the machines that run protocols.
 *
 * <p>An operation ({@code OP_BEGIN} to {@code OP_END}) of a thread is a transaction. What a thread
 * stores outside operations is one up to its next persist barrier, fence or persist sync.
 * Transactions of several threads follow each other in the order of their ends, since the core has
 * one hardware thread. Accesses to volatile memory count as instructions only. Each access stands
 * for {@value TracedHeap#INSTRUCTIONS_PER_ACCESS} further instructions, as in the workloads of this
 * package.
 *
 * <p>Pages of 4 KB are numbered in the order of their first use, whatever their addresses were. The
 * first eighth of the transactions warms up.
 */
public final class RecordedTransactions implements TraceSink {
  private static final int PAGE_SHIFT = 12;
  private static final int WARM_UP_SHARE = 8;

  /** The persistent accesses of one thread since its last transaction. */
  private static final class Open {
    long[] entries = new long[64];
    int count;
    boolean inOperation;
    boolean stores;
  }

  private final int operations;
  private final Map<Long, Long> pages = new HashMap<>();
  private final Map<Integer, Open> threads = new HashMap<>();
  private final AccessTrace body = new AccessTrace();
  private int joined;
  private int transactions;

  private RecordedTransactions(int operations) {
    if (operations < 1) {
      throw new IllegalArgumentException(
          "operations per transaction must be at least 1: " + operations);
    }
    this.operations = operations;
  }

  /**
   * Reads a whole trace.
   *
   * @param operations recorded operations per transaction
   * @throws IllegalArgumentException if the trace stores nothing to persistent memory
   */
  public static AccessTrace read(TraceSource source, int operations) throws IOException {
    RecordedTransactions reader = new RecordedTransactions(operations);
    source.feed(reader);
    return reader.finish();
  }

  @Override
  public void accept(EventBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      event(batch.packed()[i], batch.addresses()[i]);
    }
  }

  private void event(long event, long address) {
    Open open = threads.computeIfAbsent(Event.thread(event), _ -> new Open());
    switch (Event.kind(event)) {
      case Event.LOAD -> access(open, AccessTrace.LOAD, event, address);
      case Event.STORE -> access(open, AccessTrace.STORE, event, address);
      case Event.RMW -> {
        access(open, AccessTrace.LOAD, event, address);
        access(open, AccessTrace.STORE, event, address);
      }
      case Event.OP_BEGIN -> {
        end(open);
        open.inOperation = true;
      }
      case Event.OP_END -> {
        end(open);
        open.inOperation = false;
      }
      case Event.PERSIST_BARRIER, Event.FENCE, Event.PERSIST_SYNC, Event.THREAD_END -> {
        if (!open.inOperation) {
          end(open);
        }
      }
      default -> {}
    }
  }

  private void access(Open open, int kind, long event, long address) {
    if (!Event.isPersistent(event)) {
      return;
    }
    long end = address + Event.size(event);
    for (long word = address & -Long.BYTES; word < end; word += Long.BYTES) {
      if (open.count == open.entries.length) {
        open.entries = Arrays.copyOf(open.entries, 2 * open.count);
      }
      open.entries[open.count++] = place(word) << 1 | (kind == AccessTrace.STORE ? 1 : 0);
    }
    open.stores |= kind == AccessTrace.STORE;
  }

  private long place(long address) {
    long page = pages.computeIfAbsent(address >>> PAGE_SHIFT, _ -> (long) pages.size());
    return page << PAGE_SHIFT | (address & ((1 << PAGE_SHIFT) - 1));
  }

  /**
   * Ends the thread's transaction; one that only loads is none, and its loads stand before the
   * next.
   */
  private void end(Open open) {
    if (open.stores && joined == 0) {
      body.add(AccessTrace.BEGIN, 0);
    }
    for (int i = 0; i < open.count; i++) {
      body.work(TracedHeap.INSTRUCTIONS_PER_ACCESS);
      boolean store = (open.entries[i] & 1) != 0;
      body.add(store ? AccessTrace.STORE : AccessTrace.LOAD, open.entries[i] >>> 1);
    }
    if (open.stores && ++joined == operations) {
      commit();
    }
    open.count = 0;
    open.stores = false;
  }

  private void commit() {
    body.add(AccessTrace.COMMIT, 0);
    transactions++;
    joined = 0;
  }

  private AccessTrace finish() {
    threads.values().forEach(this::end);
    if (joined > 0) {
      commit();
    }
    if (transactions == 0) {
      throw new IllegalArgumentException(
          "the trace stores nothing to persistent memory: it has no transaction");
    }
    AccessTrace trace = new AccessTrace();
    for (long line = 0; line < body.lines(); line++) {
      trace.add(AccessTrace.BUILT, line << 6);
    }
    int warmUp = transactions / WARM_UP_SHARE;
    int begun = 0;
    for (int i = 0; i < body.length(); i++) {
      long entry = body.entry(i);
      if (AccessTrace.kind(entry) == AccessTrace.BEGIN && begun++ == warmUp) {
        trace.add(AccessTrace.MEASURE, 0);
      }
      trace.work(AccessTrace.workBefore(entry));
      trace.add(AccessTrace.kind(entry), AccessTrace.address(entry));
    }
    return trace;
  }
}
