package io.howdah.crashtest.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether recorded transactions were opaque: commits strictly serializable in the order of
 * their LSNs, and every attempt, given up ones too, reads one state.
 *
 * <p>The order of versions is known, so nothing is searched for. A read is true in the states from
 * its value's writer up to the next writer of the word. The reads of an attempt leave an interval
 * of states. A writer's must contain the state just before its own LSN. Any other must not be
 * empty, and must not end before the attempt began. Linear in the length of the history, but for a
 * sort.
 */
final class Opacity {

  /** The value of a word nobody has written. */
  static final long INITIAL = 0;

  private record Version(long lsn, long value) {}

  private final Map<Integer, List<Version>> versions = new HashMap<>();

  /** Where each value is in the versions of its word. */
  private final Map<Integer, Map<Long, Integer>> places = new HashMap<>();

  private Opacity(List<Recorded> history) {
    List<Recorded> writers = new ArrayList<>(history.stream().filter(Recorded::isWriter).toList());
    writers.sort(Comparator.comparingLong(Recorded::lsn));
    for (Recorded writer : writers) {
      writer.writes().forEach((word, value) -> add(word, writer.lsn(), value));
    }
  }

  private void add(int word, long lsn, long value) {
    List<Version> of = versions(word);
    places.computeIfAbsent(word, _ -> new HashMap<>()).put(value, of.size());
    of.add(new Version(lsn, value));
  }

  private List<Version> versions(int word) {
    return versions.computeIfAbsent(word, _ -> new ArrayList<>(List.of(new Version(0, INITIAL))));
  }

  /** Returns the first violation in words, or null if there is none. */
  static @Nullable String violation(List<Recorded> history) {
    Opacity opacity = new Opacity(history);
    for (Recorded recorded : history) {
      String violation = opacity.judge(recorded);
      if (violation != null) {
        return violation;
      }
    }
    return null;
  }

  private @Nullable String judge(Recorded recorded) {
    long from = 0;
    long end = Long.MAX_VALUE;
    for (Map.Entry<Integer, Long> read : recorded.reads().entrySet()) {
      List<Version> of = versions(read.getKey());
      Integer place =
          read.getValue() == INITIAL
              ? Integer.valueOf(0)
              : places.getOrDefault(read.getKey(), Map.of()).get(read.getValue());
      if (place == null) {
        return recorded + ": word " + read.getKey() + " never had that value in a commit";
      }
      from = Math.max(from, of.get(place).lsn());
      end = Math.min(end, place + 1 < of.size() ? of.get(place + 1).lsn() : Long.MAX_VALUE);
    }
    if (from >= end) {
      return recorded + ": these values were never there together";
    }
    if (recorded.isWriter()) {
      if (recorded.lsn() <= recorded.returnedBefore) {
        return recorded + ": comes before a commit that had returned";
      }
      if (from >= recorded.lsn() || end < recorded.lsn()) {
        return recorded + ": read states from " + from + " to " + end + ", not the one before it";
      }
    } else if (end <= recorded.returnedBefore) {
      return recorded + ": read a state that had gone at " + end;
    }
    return null;
  }
}
