package io.howdah.server.items;

import io.howdah.server.cache.LargeValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the bytes of the large values that are being read. A value counts once, however many
 * readers it has. A value of any length is admitted if no other is being read.
 *
 * <p>Readers are admitted in the order in which they came. A reader that is refused has a place in
 * the queue. It asks again every few milliseconds until it is admitted, or gives the place up. The
 * values of the readers in front of it count as if they were being read. So a reader that fits
 * beside them is admitted before they have asked again, and none is admitted before an earlier one
 * that does not fit yet. There is one exception: a value that is being read already takes no more
 * memory, so a further reader of it is admitted immediately, but at most {@value #MAX_OVERTAKEN}
 * times before the same waiting reader. Without this limit, readers of one value that take turns
 * could exclude for ever a value that fits only alone.
 *
 * <p>A reader must not wait here while it reads another value, so waiting readers never wait for
 * each other. A place and an entry take some bytes for each connection. Thread-safe.
 *
 * @param <R> a reader; it reads one value at a time
 */
final class ReaderLimit<R> {

  /** How many readers of values that are being read are admitted before one waiting reader. */
  static final int MAX_OVERTAKEN = 1 << 6;

  private final long maxBytes;

  /** The number of readers of a value, by its id. */
  private final Map<Long, Integer> counts = new HashMap<>();

  private final Map<R, LargeValue> reading = new HashMap<>();

  /** The waiting readers in the order in which they came, each with the value that it will read. */
  private final LinkedHashMap<R, Place> waiting = new LinkedHashMap<>();

  /** How many readers were admitted before one that had come earlier. */
  private long overtakings;

  private long bytes;

  /** A value, and the number of overtakings when the reader asked for it first. */
  private record Place(LargeValue value, long overtakings) {}

  ReaderLimit(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Admits a reader, or gives it a place and returns false if others have to end first. */
  synchronized boolean enter(LargeValue value, R reader) {
    if (!hasRoom(value, reader)) {
      if (!mayOvertake(value)) {
        waiting.compute( // a reader that has a place keeps it
            reader, (_, old) -> new Place(value, old == null ? overtakings : old.overtakings()));
        return false;
      }
      overtakings++;
    }
    giveUpPlace(reader);
    if (counts.merge(value.id(), 1, Integer::sum) == 1) {
      bytes += value.length();
    }
    reading.put(reader, value);
    return true;
  }

  /** Returns whether a value that does not fit is being read already, and so takes no memory. */
  private boolean mayOvertake(LargeValue value) {
    return counts.containsKey(value.id())
        && overtakings - waiting.firstEntry().getValue().overtakings() < MAX_OVERTAKEN;
  }

  /** Returns whether a value fits beside those of all waiting readers in front of its reader. */
  private boolean hasRoom(LargeValue value, R reader) {
    long taken = bytes;
    for (Map.Entry<R, Place> place : waiting.entrySet()) {
      if (place.getKey().equals(reader)) {
        break;
      }
      taken = with(place.getValue().value(), taken);
      if (taken < 0) {
        return false;
      }
    }
    return with(value, taken) >= 0;
  }

  /** Returns the bytes taken with one value more, or -1 if it does not fit. */
  private long with(LargeValue value, long taken) {
    if (counts.containsKey(value.id())) {
      return taken;
    }
    long more = taken + value.length();
    return taken > 0 && more > maxBytes ? -1 : more;
  }

  /** Gives up the place of a reader, if it has one. */
  synchronized void giveUpPlace(R reader) {
    waiting.remove(reader);
  }

  /** Ends the reading of a value. */
  synchronized void leave(LargeValue value, R reader) {
    if (counts.merge(value.id(), -1, (old, change) -> old + change == 0 ? null : old + change)
        == null) {
      bytes -= value.length();
    }
    reading.remove(reader, value);
  }

  /** Returns the bytes of the values that are being read. */
  synchronized long bytes() {
    return bytes;
  }

  /**
   * Returns which readers have to end so that the first waiting one is admitted, and a quarter of
   * the limit is free. Returns none if no reader waits, or if the first fits already. If a value
   * has a reader that is not a candidate, its other readers are not chosen, since to end them would
   * free nothing.
   *
   * @param candidates that may be ended, in this order; some may read nothing
   */
  synchronized <C extends R> List<C> inTheWay(List<C> candidates) {
    LargeValue first = waiting.isEmpty() ? null : waiting.firstEntry().getValue().value();
    if (first == null || with(first, bytes) >= 0) {
      return List.of();
    }
    long goal = Math.max(0, Math.min(maxBytes - first.length(), maxBytes - maxBytes / 4));
    Map<Long, Integer> kept = new HashMap<>(counts);
    for (C candidate : candidates) {
      LargeValue value = reading.get(candidate);
      if (value != null) {
        kept.merge(value.id(), -1, Integer::sum);
      }
    }
    List<C> chosen = new ArrayList<>();
    Map<Long, Integer> remaining = new HashMap<>(counts);
    long leftBytes = bytes;
    for (C candidate : candidates) {
      LargeValue value = reading.get(candidate);
      if (leftBytes > goal && value != null && kept.getOrDefault(value.id(), 0) == 0) {
        chosen.add(candidate);
        leftBytes -= remaining.merge(value.id(), -1, Integer::sum) == 0 ? value.length() : 0;
      }
    }
    return chosen;
  }
}
