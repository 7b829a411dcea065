package io.howdah.txn.alloc;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Touches memory above the top of the region in the background, so that transactions of a growing
 * store find its pages mapped. The first touch of a page takes a transaction as long as the kernel
 * needs to find and clear it: milliseconds for a page of 2 MiB.
 *
 * <p>The thread starts once the top has moved up by {@value #STEP_BYTES} bytes since the opening,
 * and wakes up whenever it has done so again. It touches as much above the committed top as the
 * store has grown since the opening, at most {@value #MAX_AHEAD_BYTES} bytes, and nothing beyond
 * the region's capacity. So a store that does not grow has no such thread, and one that grows
 * occupies at most twice as much new memory as it uses.
 *
 * <p>A touch is a compare-and-set of 0 to 0 on the first word of a page. It changes no value,
 * whatever transactions write there meanwhile. It is no change for the next checkpoint either: it
 * marks no page.
 *
 * <p>Nothing depends on this but speed. What goes wrong ends it: the transaction that needs a page
 * is told why it cannot be had. Thread-safe.
 */
public final class TouchAhead implements AutoCloseable {

  /** Maximum number of bytes above the top that are touched. */
  public static final long MAX_AHEAD_BYTES = 16L << 20;

  /** By so much the top moves up between two wake-ups: a large page of the kernel. */
  static final long STEP_BYTES = 2L << 20;

  private static final long NEVER = Long.MAX_VALUE;
  private static final long IDLE_NANOS = 1_000_000_000;
  private static final long CLOSE_PARK_NANOS = 1_000_000;

  private final Execution execution;
  private final Region region;
  private final BooleanSupplier mayTouch;
  private final long stepBytes;
  private final long maxAheadBytes;
  private final AtomicBoolean started = new AtomicBoolean();

  private long openingTop; // set before the thread starts

  /** Up to here all memory above the top was touched. For the thread. */
  private long touched;

  /** The top as it was seen last. For the thread. */
  private long looked;

  /** A top from here on wakes the thread. */
  private volatile long wakeAt = NEVER;

  private volatile @Nullable Thread thread;
  private volatile boolean closing;
  private volatile boolean ended;

  /**
   * Creates one for an open store.
   *
   * @param mayTouch asked by the thread before it touches some pages: whether all of the region is
   *     recovered, and whether there is memory to spare
   */
  public TouchAhead(Execution execution, Region region, BooleanSupplier mayTouch) {
    this(execution, region, mayTouch, STEP_BYTES, MAX_AHEAD_BYTES);
  }

  /** Creates one of other dimensions, whole pages. */
  TouchAhead(
      Execution execution,
      Region region,
      BooleanSupplier mayTouch,
      long stepBytes,
      long maxAheadBytes) {
    this.execution = execution;
    this.region = region;
    this.mayTouch = mayTouch;
    this.stepBytes = stepBytes;
    this.maxAheadBytes = maxAheadBytes;
  }

  /** The header of the region is there: growth counts from its top. Called once. */
  void begin() {
    openingTop = top();
    // With one processor the transactions would wait for the thread instead of for the kernel.
    if (execution.availableProcessors() > 1) {
      wakeAt = openingTop + stepBytes;
    }
  }

  /** Returns the top as it was committed last; a new region has none yet. */
  private long top() {
    return Math.max(
        RegionHeaderLayout.BLOCKS_ADDRESS, region.getLongOpaque(RegionHeaderLayout.TOP_ADDRESS));
  }

  /** A transaction has moved the top up, and is going to commit that or not. Throws nothing. */
  void reached(long top) {
    if (top >= wakeAt) {
      wake(top);
    }
  }

  private void wake(long top) {
    wakeAt = NEVER; // until the thread has done something about it
    if (started.compareAndSet(false, true)) {
      start(top);
    } else {
      unpark();
    }
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void start(long top) {
    boolean isStarted = false;
    try {
      thread = execution.start("howdah-touch", this::run); // touches nothing if this is closed
      isStarted = true;
    } catch (VirtualMachineError e) {
      // There is no memory for a thread, and the transaction does not need one.
    } finally {
      if (!isStarted) {
        wakeAt = top + stepBytes;
        started.set(false); // close() waits for a thread that was started, and for no other
      }
    }
  }

  private void unpark() {
    Thread running = thread;
    if (running != null) {
      execution.unpark(running);
    }
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void run() {
    try {
      while (!closing) {
        while (touchSome()) {
          // Step by step, since the top moves on meanwhile.
        }
        wakeAt = looked + stepBytes;
        if (top() < looked + stepBytes) { // or it was committed before the line above
          execution.parkNanos(this, IDLE_NANOS);
        }
      }
    } catch (RuntimeException | VirtualMachineError e) {
      // A page cannot be had, or the heap is full.
    } finally {
      wakeAt = NEVER;
      ended = true;
    }
  }

  /** Touches one step of what is to be touched; returns whether there may be more. */
  private boolean touchSome() {
    long top = top();
    looked = top;
    long ahead = Math.min(maxAheadBytes, top - openingTop);
    long goal = Math.min(top + ahead, region.capacityBytes()) & -PageLayout.PAGE_BYTES;
    long from = Math.max(top, touched);
    if (from >= goal || !mayTouch.getAsBoolean()) {
      return false;
    }
    long end = Math.min(goal, from + stepBytes);
    for (long page = from; page < end; page += PageLayout.PAGE_BYTES) {
      if (closing) {
        return false;
      }
      region.compareAndSetLong(page, 0, 0);
    }
    touched = end;
    return true;
  }

  /** Ends the thread, and waits for the page that it touches. Idempotent. */
  @Override
  public void close() {
    closing = true;
    while (started.get() && !ended) {
      unpark();
      execution.parkThroughInterrupt(this, CLOSE_PARK_NANOS);
    }
  }
}
