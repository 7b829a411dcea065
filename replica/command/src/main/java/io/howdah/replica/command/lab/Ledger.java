package io.howdah.replica.command.lab;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What clients of the counters were told, and a judge of it. Strict serializability asks of a
 * counter that no two additions return one value; that each one returns more than anything that was
 * returned before it began, and a newest read not less; and that nothing returns more than there
 * were additions when it returned. Thread-safe.
 */
final class Ledger {

  private static final int MAX_COMPLAINTS = 20;

  private final List<Counter> counters = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private long acknowledged;
  private long unknown;
  private long newestReads;
  private long localReads;
  private long lost;
  private long stale;

  /** For each member, when it has acknowledged an addition first since a moment. */
  private final Map<String, Long> acknowledgedNanos = new HashMap<>();

  /** Counts and what is wrong, up to a moment. */
  record Figures(
      long acknowledged,
      long unknown,
      long newestReads,
      long localReads,
      long lost,
      long stale,
      List<String> complaints) {}

  private static final class Counter {
    private final Map<Long, Long> operations = new HashMap<>();
    private long begun;
    private long least;
  }

  Ledger(int counters) {
    for (int i = 0; i < counters; i++) {
      this.counters.add(new Counter());
    }
  }

  private static String name(int counter) {
    return "counter " + (counter + 1);
  }

  /** An addition begins; returns what is given back when it ends. */
  synchronized long beginAdd(int counter) {
    counters.get(counter).begun++;
    return counters.get(counter).least;
  }

  /** A read begins; returns what is given back when it ends. */
  synchronized long beginRead(int counter) {
    return counters.get(counter).least;
  }

  /** An addition has not happened. */
  synchronized void refused(int counter) {
    counters.get(counter).begun--;
  }

  /** An addition may have happened, or may happen later. */
  synchronized void unknown() {
    unknown++;
  }

  synchronized void acknowledged(
      int counter, long least, long value, long operation, String member) {
    acknowledged++;
    Long _ = acknowledgedNanos.putIfAbsent(member, System.nanoTime());
    Counter of = counters.get(counter);
    Long other = of.operations.put(value, operation);
    if (other != null) {
      lose(
          "%s: %s acknowledges %d to operation %d, which operation %d was told before"
              .formatted(name(counter), member, value, operation, other));
    } else if (value <= least) {
      lose(
          "%s: %s acknowledges %d to an operation that began when %d was acknowledged"
              .formatted(name(counter), member, value, least));
    }
    saw(counter, value, member);
  }

  /** A newest read has returned. */
  synchronized void read(int counter, long least, long value, String member) {
    newestReads++;
    if (value < least) {
      stale++;
      complain(
          "%s: a newest read of %s, which began when %d was acknowledged, returns %d"
              .formatted(name(counter), member, least, value));
    }
    saw(counter, value, member);
  }

  /**
   * A local read has returned.
   *
   * @param before what the same process has returned before
   */
  synchronized void readLocally(int counter, long before, long value, String member) {
    localReads++;
    Counter of = counters.get(counter);
    if (value < before) {
      stale++;
      complain(
          "%s: a local read of %s returns %d after %d"
              .formatted(name(counter), member, value, before));
    }
    if (value > of.begun) {
      complain(
          "%s: a local read of %s returns %d, of the future"
              .formatted(name(counter), member, value));
    }
  }

  private void saw(int counter, long value, String member) {
    Counter of = counters.get(counter);
    of.least = Math.max(of.least, value);
    if (value > of.begun) {
      lose(
          "%s: %s returns %d after %d additions".formatted(name(counter), member, value, of.begun));
    }
  }

  /** Compares the newest state of a counter, and the operations that it knows, to what was told. */
  synchronized void compare(int counter, long least, long value, List<Long> last) {
    Counter of = counters.get(counter);
    if (value < least) {
      lose("%s: %d is left of %d".formatted(name(counter), value, least));
    }
    for (int i = 0; i < last.size(); i++) {
      @Nullable Long operation = of.operations.get(value - i);
      if (operation != null && !operation.equals(last.get(i))) {
        lose(
            "%s: operation %d was told that it made %d, which operation %d has made"
                .formatted(name(counter), operation, value - i, last.get(i)));
      }
    }
  }

  private void lose(String what) {
    lost++;
    complain(what);
  }

  private void complain(String what) {
    if (complaints.size() < MAX_COMPLAINTS) {
      complaints.add(what);
    }
  }

  /** Notes another broken promise. */
  synchronized void broken(String what) {
    complain(what);
  }

  /** Begins to look for the first addition that each member acknowledges. */
  synchronized void awaitAcknowledgements() {
    acknowledgedNanos.clear();
  }

  /**
   * Returns when a member other than one has acknowledged an addition first since {@link
   * #awaitAcknowledgements}, or null.
   */
  synchronized @Nullable Long acknowledgedByOthers(String member) {
    Long first = null;
    for (Map.Entry<String, Long> each : acknowledgedNanos.entrySet()) {
      if (!each.getKey().equals(member) && (first == null || each.getValue() - first < 0)) {
        first = each.getValue();
      }
    }
    return first;
  }

  synchronized Figures figures() {
    return new Figures(
        acknowledged, unknown, newestReads, localReads, lost, stale, List.copyOf(complaints));
  }
}
