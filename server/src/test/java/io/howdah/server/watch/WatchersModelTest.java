package io.howdah.server.watch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Watchers that come, read, do not read and go, while events happen, beside a model of each one's
 * buffer: the lines that each gets, and every figure after every step.
 */
final class WatchersModelTest {

  private static final int STEPS = 6_000;
  private static final int CAPACITY = Watchers.MIN_BUFFER_BYTES;
  private static final int NOTE_BYTES = 32;
  private static final List<EventKind> KINDS = List.of(EventKind.values());
  private static final byte[] KEY = "key".getBytes(US_ASCII);

  /** A watcher and what it has to get; a line is its kind, or a note of what was skipped. */
  private static final class Seen {
    private final Watcher watcher;
    private final EnumSet<EventKind> kinds;
    private final List<String> waiting = new ArrayList<>();
    private int bytes;
    private long missing;
    private boolean isFull;

    Seen(Watcher watcher, EnumSet<EventKind> kinds) {
      this.watcher = watcher;
      this.kinds = kinds;
    }
  }

  private final Watchers watchers = new Watchers(CAPACITY);
  private final ConnectionEvents events = watchers.connection(7);
  private final List<Seen> all = new ArrayList<>();
  private long written;
  private long sent;
  private long skipped;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void eachWatcherGetsWhatTheModelHas(int seed) {
    Random random = new Random(seed);
    for (int i = 0; i < STEPS; i++) {
      int step = random.nextInt(40);
      if (step == 0) {
        EnumSet<EventKind> kinds = EnumSet.noneOf(EventKind.class);
        for (EventKind kind : EventKind.values()) {
          if (random.nextBoolean()) {
            kinds.add(kind);
          }
        }
        Watcher watcher = watchers.add(kinds);
        assertThat(watcher == null).isEqualTo(all.size() == Watchers.MAX_WATCHERS);
        if (watcher != null) {
          all.add(new Seen(watcher, kinds));
        }
      } else if (step == 1 && !all.isEmpty()) {
        all.remove(random.nextInt(all.size())).watcher.close();
      } else if (step < 6 && !all.isEmpty()) {
        take(all.get(random.nextInt(all.size())));
      } else {
        happen(KINDS.get(random.nextInt(KINDS.size())));
      }
      Map<String, String> rows = new HashMap<>();
      watchers.statistics(rows::put);
      assertThat(rows)
          .containsEntry("log_worker_written", "" + written)
          .containsEntry("log_watcher_sent", "" + sent)
          .containsEntry("log_watcher_skipped", "" + skipped)
          .containsEntry("log_watchers", "" + all.size());
      for (EventKind kind : EventKind.values()) {
        assertThat(watchers.isWatched(kind))
            .isEqualTo(all.stream().anyMatch(seen -> seen.kinds.contains(kind)));
      }
    }
    assertThat(sent).isPositive();
    assertThat(skipped).isPositive();
  }

  private void happen(EventKind kind) {
    int bytes = emit(kind);
    boolean isWanted = false;
    for (Seen seen : all) {
      isWanted |= seen.kinds.contains(kind) && !seen.isFull;
    }
    written += isWanted ? 1 : 0;
    for (Seen seen : all) {
      if (!seen.kinds.contains(kind)) {
        continue;
      }
      if (!seen.isFull && seen.bytes + NOTE_BYTES + bytes <= CAPACITY) {
        if (seen.missing > 0) {
          String note = "skipped=" + seen.missing;
          seen.waiting.add(note);
          seen.bytes += note.length() + 1;
          seen.missing = 0;
        }
        seen.waiting.add(kind.name());
        seen.bytes += bytes;
        sent++;
      } else {
        seen.isFull = true;
        seen.missing++;
        skipped++;
      }
    }
  }

  /** Lets an event happen, and returns the length of its line, which a watcher of its own tells. */
  private int emit(EventKind kind) {
    Watchers measuring = new Watchers(CAPACITY);
    // The line has the event's number, which goes on by one with each event that is watched.
    Watcher watcher = measuring.add(EnumSet.of(kind));
    tell(kind, measuring, measuring.connection(7));
    byte[] line = watcher == null ? null : watcher.take();
    tell(kind, watchers, events);
    boolean isWatched = all.stream().anyMatch(seen -> seen.kinds.contains(kind));
    number += isWatched ? 1 : 0;
    return (line == null ? 0 : line.length) - 1 + Long.toString(number).length();
  }

  private long number;

  private static void tell(EventKind kind, Watchers to, ConnectionEvents connection) {
    switch (kind) {
      case FETCHERS -> connection.fetched(KEY, ConnectionEvents.Found.FOUND, 3);
      case MUTATIONS -> connection.stored(KEY, "stored", "set", 100, 3);
      case EVICTIONS -> to.evicted(KEY, true, -1, 12, 3);
      case CONNEVENTS -> connection.opened(null);
    }
  }

  private static void take(Seen seen) {
    byte[] taken = seen.watcher.take();
    List<String> got =
        taken == null
            ? List.of()
            : new String(taken, US_ASCII).lines().map(WatchersModelTest::kind).toList();
    assertThat(got).isEqualTo(seen.waiting);
    if (taken != null) {
      seen.isFull = false;
    }
    seen.waiting.clear();
    seen.bytes = 0;
  }

  private static String kind(String line) {
    return line.startsWith("skipped=")
        ? line
        : line.contains(" type=item_get ")
            ? "FETCHERS"
            : line.contains(" type=item_store ")
                ? "MUTATIONS"
                : line.contains(" type=eviction ") ? "EVICTIONS" : "CONNEVENTS";
  }
}
