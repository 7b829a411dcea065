package io.howdah.server.items;

import io.howdah.server.cache.LargeValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the bytes of the large values that are being read. A value counts once, however many read
 * it. One value alone is always let in, however long it is.
 *
 * <p>First come, first served. Who is refused has a place among those that wait, and asks again
 * every few milliseconds until it is let in, or gives the place up. Those in front of it count as
 * if they were in: so nobody who fits waits for the others' turns, and nobody is let in before one
 * that came earlier and does not fit yet. There is one exception: a value that is read already
 * takes no room, so its readers are let in at once, but at most {@value #MAX_OVERTAKEN} before the
 * same one. Otherwise readers of one value that take turns would keep a value out for ever that
 * fits only alone.
 *
 * <p>Nobody may wait while it reads, so those that wait never wait for each other. A place and an
 * entry take some bytes for each connection. Thread-safe.
 *
 * @param <R> a reader; it reads one value at a time
 */
final class ReaderLimit<R> {

  /** How many readers of values that are read already may go before one who waits. */
  static final int MAX_OVERTAKEN = 1 << 6;

  private final long maxBytes;

  /** How many read a value, by its id. */
  private final Map<Long, Integer> counts = new HashMap<>();

  private final Map<R, LargeValue> reading = new HashMap<>();

  /** Those that wait, in the order in which they came, and what they want. */
  private final LinkedHashMap<R, Place> waiting = new LinkedHashMap<>();

  /** How many were let in before one that had come earlier. */
  private long overtakings;

  private long bytes;

  /** What is wanted, and how many had overtaken others when it was asked for first. */
  private record Place(LargeValue value, long overtakings) {}

  ReaderLimit(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Lets a reader in, or returns false if others have to end first. Then it has a place. */
  synchronized boolean enter(LargeValue value, R reader) {
    if (!hasRoom(value, reader)) {
      if (!mayOvertake(value)) {
        waiting.compute( // where it is, if it is there
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

  /** Returns whether a value for which there is no room is read already, and so needs none. */
  private boolean mayOvertake(LargeValue value) {
    return counts.containsKey(value.id())
        && overtakings - waiting.firstEntry().getValue().overtakings() < MAX_OVERTAKEN;
  }

  /** Returns whether there is room for a value, and for all that wait in front of its reader. */
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

  /** Lets a reader out. */
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
   * Returns which readers have to end so that the first who waits gets in, and a quarter of the
   * limit is free. Returns none if nobody waits, or if the first fits already. Readers of a value
   * that somebody reads who is no candidate stay, because nothing would be won.
   *
   * @param candidates that may be ended, first those that go first; some may read nothing
   */
  synchronized <C extends R> List<C> inTheWay(List<C> candidates) {
    LargeValue wanted = waiting.isEmpty() ? null : waiting.firstEntry().getValue().value();
    if (wanted == null || with(wanted, bytes) >= 0) {
      return List.of();
    }
    long goal = Math.max(0, Math.min(maxBytes - wanted.length(), maxBytes - maxBytes / 4));
    Map<Long, Integer> left = new HashMap<>(counts);
    for (C candidate : candidates) {
      LargeValue value = reading.get(candidate);
      if (value != null) {
        left.merge(value.id(), -1, Integer::sum);
      }
    }
    List<C> chosen = new ArrayList<>();
    Map<Long, Integer> toGo = new HashMap<>(counts);
    long leftBytes = bytes;
    for (C candidate : candidates) {
      LargeValue value = reading.get(candidate);
      if (leftBytes > goal && value != null && left.getOrDefault(value.id(), 0) == 0) {
        chosen.add(candidate);
        leftBytes -= toGo.merge(value.id(), -1, Integer::sum) == 0 ? value.length() : 0;
      }
    }
    return chosen;
  }
}
