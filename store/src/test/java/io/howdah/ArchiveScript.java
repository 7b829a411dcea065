package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.archive.ArchiveMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Commits of one thread to a store with an archive, and the state after each of them. Judges what
 * an archive is restored to.
 */
final class ArchiveScript {

  private final TreeMap<Long, List<Long>> states = new TreeMap<>();
  private List<Long> now = new ArrayList<>();

  /** The state after a commit that did not return. */
  private List<Long> next = List.of();

  /** The last commit that was in the archive when {@link Store#admin} said so. */
  private long promised;

  ArchiveScript() {
    states.put(0L, List.of());
  }

  void put(Store store, int word, long value) {
    List<Long> after = new ArrayList<>(now);
    while (after.size() < ArchiveTest.WORDS) {
      after.add(0L);
    }
    after.set(word % ArchiveTest.WORDS, value);
    next = after;
    states.put(ArchiveTest.put(store, word, value), after);
    now = after;
  }

  void update(Store store) {
    long last = states.lastKey();
    store.admin().updateArchive();
    promised = last;
  }

  /** Commits, checkpoints and updates of the archive, over several segments of the log. */
  void run(Store store) {
    for (int i = 0; i < 4; i++) {
      put(store, i, 10 + i);
    }
    update(store);
    for (int i = 0; i < 6; i++) {
      put(store, i, 20 + i);
    }
    store.admin().checkpoint();
    put(store, 7, 7);
    update(store);
    for (int i = 0; i < 20; i++) {
      put(store, 20 + i, 30 + i);
      if (i == 10) {
        store.admin().checkpoint();
      }
    }
    update(store);
    put(store, 9, 9);
  }

  List<Long> now() {
    return now;
  }

  long lastLsn() {
    return states.lastKey();
  }

  long promised() {
    return promised;
  }

  private List<Long> at(long lsn) {
    Map.Entry<Long, List<Long>> entry = states.floorEntry(lsn);
    return lsn > states.lastKey() ? next : entry.getValue();
  }

  /**
   * Requires that each LSN that an archive tells is restored to the state after it, and that it has
   * what was promised.
   *
   * @param stride how many LSNs one is taken of
   * @return the last LSN of the archive, 0 if it has none
   */
  long requireRestored(SimulatedDisk place, int stride) {
    List<ArchiveReport.Range> ranges = ranges(place);
    long last = 0;
    for (ArchiveReport.Range range : ranges) {
      for (long lsn = range.lsn(); lsn >= range.fromLsn(); lsn -= stride) {
        assertThat(ArchiveTest.restored(place, ArchiveMoment.atLsn(lsn)))
            .as("LSN %d of %s", lsn, range)
            .isEqualTo(at(lsn));
      }
      last = range.lsn();
    }
    assertThat(last).as("last LSN of the archive").isGreaterThanOrEqualTo(promised);
    return last;
  }

  private static List<ArchiveReport.Range> ranges(SimulatedDisk place) {
    if (!place.storage().exists("archive.howdah")) {
      return List.of();
    }
    return StoreArchives.list(ArchiveTest.archive(place)).ranges();
  }

  /**
   * Requires that a store that was opened again has what the archive has, and all that returned.
   */
  void requireRecovered(List<Long> words, long archived) {
    long least = Math.max(archived, lastLsn());
    assertThat(words).as("words after LSN %d", least).isIn(at(least), next, now);
  }
}
