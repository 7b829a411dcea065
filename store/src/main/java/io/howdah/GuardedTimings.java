package io.howdah;

import io.howdah.core.Execution;
import io.howdah.core.report.ProgramLog;
import io.howdah.store.open.OpeningFacts;
import io.howdah.store.open.OpeningListener;
import io.howdah.txn.Durability;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

/**
 * Calls the program's {@link StoreTimings}. What that throws goes no further: it would stop the
 * threads that force the log and take checkpoints, and would hide the outcome of a commit.
 */
final class GuardedTimings {

  private final StoreTimings timings;
  private final Execution execution;
  private final ProgramLog programLog;
  private final AtomicBoolean hasThrown = new AtomicBoolean();

  GuardedTimings(StoreTimings timings, Execution execution) {
    this.timings = timings;
    this.execution = execution;
    this.programLog = new ProgramLog("io.howdah.store", execution);
  }

  long now() {
    return execution.nanoTime();
  }

  void transaction(Durability durability, long started) {
    try {
      timings.transaction(durability, now() - started);
    } catch (Throwable t) {
      tell(t);
    }
  }

  void durabilityWait(Durability durability, long started) {
    try {
      timings.durabilityWait(durability, now() - started);
    } catch (Throwable t) {
      tell(t);
    }
  }

  void force(long nanos) {
    guard(timings::force, nanos);
  }

  void checkpoint(long nanos) {
    guard(timings::checkpoint, nanos);
  }

  private void guard(LongConsumer call, long nanos) {
    try {
      call.accept(nanos);
    } catch (Throwable t) {
      tell(t);
    }
  }

  /** Returns a listener to an opening that begins now, which tells another one as well. */
  OpeningListener opening(OpeningListener other) {
    long started = now();
    return new OpeningListener() {
      @Override
      public void opened(OpeningFacts facts) {
        guard(timings::opening, now() - started);
        other.opened(facts);
      }

      @Override
      public void replayed(long words, long chunksOnDemand) {
        guard(timings::replay, now() - started);
        other.replayed(words, chunksOnDemand);
      }
    };
  }

  /** Writes it to the program's log, once; if that fails too, nothing is left to do. */
  @SuppressWarnings("EmptyCatch") // said above
  private void tell(Throwable thrown) {
    try {
      if (hasThrown.compareAndSet(false, true)) {
        programLog.say(
            System.Logger.Level.WARNING,
            () ->
                "the program's StoreTimings has thrown "
                    + thrown
                    + "; this is logged once for each store, and the store continues");
      }
    } catch (Throwable t) {
      // Memory or stack is exhausted.
    }
  }
}
