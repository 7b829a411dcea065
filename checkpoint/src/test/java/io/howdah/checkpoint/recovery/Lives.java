package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.checkpoint.recovery.Commit.Fate;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.Storage;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The lives of one store, after the model of incarnations in docs/models: commits on several lanes
 * that stop anywhere, rounds of the flusher, deaths of every kind at any operation or store, also
 * within recoveries. Keeps what each opening served, and holds the next ones to it.
 */
final class Lives {

  /** How a life may end. */
  enum Death {
    KILL,
    POWER_CUT,
    FILE_SYSTEM_SHUTDOWN,
    CONTAINER_REPLACED,
    /** A kill, and somebody deletes a ring in the volatile place. */
    RING_LOST
  }

  private static final List<CrashMoment> MOMENTS = List.of(CrashMoment.values());
  private static final int SHARED_WORDS = 10;
  private static final long CELLS = 8192;
  private static final int STEPS = 6;

  final SimulatedDisk disk;
  private final SplittableRandom random;
  private final HandStore.Setup setup;
  private final List<Death> deaths;
  private final List<Commit> commits = new ArrayList<>();
  private final List<String> story = new ArrayList<>();

  // Of the life that accepted commits last.
  private final List<Commit> young = new ArrayList<>();
  private final Map<Long, Commit> writers = new HashMap<>();
  private final Map<Long, Commit> locks = new HashMap<>();
  private final Map<Integer, Commit> underWay = new HashMap<>();
  private long stable;

  /**
   * A lane whose commits are preempted between their LSN and their record, for long; -1 for none.
   */
  private int stalled;

  private boolean closed;
  private final List<Death> since = new ArrayList<>();
  private long nonce = 1;

  /** What was seen, so that a test can tell that it was not vacuous. */
  int openings;

  int kills;
  int powerCuts;
  int holes;
  int survivorsBeyond;
  int discarded;
  int cleanCloses;

  Lives(SimulatedDisk disk, long seed, HandStore.Setup setup, List<Death> deaths) {
    this.disk = disk;
    this.random = new SplittableRandom(seed);
    this.setup = setup;
    this.deaths = deaths;
    HandStore.create(disk.storage(), setup);
  }

  /** Lives on, so many times. */
  void live(int lives) {
    for (int i = 0; i < lives; i++) {
      life();
    }
    // The last word: nothing disturbs this opening.
    HandStore store = open();
    if (store != null) {
      disk.kill();
      since.add(Death.KILL);
    }
  }

  private void life() {
    if (random.nextInt(3) == 0) {
      dieDuring(this::open, random.nextInt(1, 90));
    }
    HandStore store = open();
    if (random.nextInt(8) == 0) {
      disk.crashAtStore(disk.stores() + random.nextLong(1, 1500), moment());
    } else if (random.nextInt(2) == 0) {
      disk.crashAtOperation(disk.operations() + random.nextLong(1, 100), moment());
    }
    try {
      work(store, random.nextInt(1, 250));
    } catch (SimulatedCrash e) {
      story.add("died: " + e.getMessage());
    }
    if (!closed) {
      die();
    } else {
      disk.kill();
    }
  }

  private void dieDuring(Runnable opening, int operations) {
    disk.crashAtOperation(disk.operations() + operations, moment());
    try {
      opening.run();
      story.add("(opened before it could die)");
    } catch (SimulatedCrash e) {
      story.add("died in recovery: " + e.getMessage());
    }
    die();
  }

  private CrashMoment moment() {
    return MOMENTS.get(random.nextInt(MOMENTS.size()));
  }

  private void die() {
    Death death = deaths.get(random.nextInt(deaths.size()));
    story.add(death.toString());
    since.add(death);
    CrashChoice choice =
        switch (random.nextInt(4)) {
          case 0 -> CrashChoice.LOSE_ALL;
          case 1 -> CrashChoice.KEEP_ALL;
          default -> new CrashChoice(random.nextLong(), random.nextLong(1000));
        };
    switch (death) {
      case KILL -> disk.kill();
      case POWER_CUT -> disk.powerCut(choice);
      case FILE_SYSTEM_SHUTDOWN -> disk.fileSystemShutdown(choice);
      case CONTAINER_REPLACED -> disk.replaceContainer();
      case RING_LOST -> {
        disk.kill();
        loseRing();
      }
    }
  }

  private void loseRing() {
    Storage storage = disk.storage();
    for (long opening = 1; opening < nonce; opening++) {
      storage
          .volatilePlace("howdah-" + Long.toHexString(opening), false, 0)
          .ifPresent(
              place -> {
                List<String> rings = place.list("");
                if (!rings.isEmpty()) {
                  place.delete(rings.get(random.nextInt(rings.size())));
                }
              });
    }
  }

  /** Opens, and holds what is there to what was promised. */
  private HandStore open() {
    HandStore store = HandStore.open(disk.storage(), new SoloExecution(), setup, nonce++);
    openings++;
    story.add("opened: " + store.recovered.report());
    check(store);
    count(store.recovered.report().outcome());
    for (Commit commit : commits) {
      if (commit.fate == Fate.OPEN) {
        commit.fate = store.region().getLong(cell(commit)) == commit.number ? Fate.KEPT : Fate.GONE;
      }
    }
    young.clear();
    writers.clear();
    locks.clear();
    underWay.clear();
    since.clear();
    stable = store.log.stable();
    closed = false;
    return store;
  }

  private void count(RecoveryOutcome outcome) {
    switch (outcome) {
      case RecoveryOutcome.Clean() -> {}
      case RecoveryOutcome.AfterKill(long _, int found) -> {
        kills++;
        holes += found;
      }
      case RecoveryOutcome.AfterPowerCut(long _, int beyond, long lost, long _) -> {
        powerCuts++;
        survivorsBeyond += beyond;
        discarded += (int) lost;
      }
    }
  }

  private static long cell(Commit commit) {
    return CELLS + commit.number * 8L;
  }

  private void check(HandStore store) {
    Set<Commit> recovered = new HashSet<>();
    Map<Long, Long> words = new HashMap<>();
    // In the order of LSNs: they grow over all lives, but for those that nobody ever saw.
    List<Commit> ordered = new ArrayList<>(commits);
    ordered.removeIf(c -> store.region().getLong(cell(c)) != c.number);
    ordered.sort((a, b) -> Long.compare(a.lsn, b.lsn));
    for (Commit commit : ordered) {
      recovered.add(commit);
      words.putAll(commit.writes);
    }
    for (long address = 0; address < CELLS + 8L * (commits.size() + 8); address += 8) {
      assertThat(store.region().getLong(address))
          .as("word at %s of %s", address, this)
          .isEqualTo(words.getOrDefault(address, 0L));
    }
    boolean killed = !since.isEmpty() && since.stream().allMatch(this::keepsRings);
    for (Commit commit : commits) {
      boolean there = recovered.contains(commit);
      boolean must =
          commit.fate == Fate.KEPT
              || commit.acknowledged
              || (young.contains(commit) && commit.returned && (killed || closed))
              || (young.contains(commit)
                  && commit.step > 2
                  && !commit.doomed
                  && Lsn.dense(commit.lsn) <= stable);
      if (must) {
        assertThat(there).as("%s is there after %s, %s", commit, since, this).isTrue();
      }
      if (commit.fate == Fate.GONE || commit.doomed || commit.step < 3) {
        assertThat(there).as("%s is not there after %s, %s", commit, since, this).isFalse();
      }
      if (there) {
        for (Commit source : commit.sources.values()) {
          if (source != null) {
            assertThat(recovered).as("%s builds on it, %s", commit, this).contains(source);
          }
        }
      }
    }
  }

  private boolean keepsRings(Death death) {
    return death == Death.KILL || (death == Death.FILE_SYSTEM_SHUTDOWN && !setup.ringsInStore());
  }

  private void work(HandStore store, int actions) {
    stalled = random.nextInt(2) == 0 ? random.nextInt(setup.partitions()) : -1;
    for (int i = 0; i < actions; i++) {
      int action = random.nextInt(100);
      if (action < 6) {
        store.log.flush(() -> perhapsAdvance(store));
        stable = Math.max(stable, store.log.stable());
        acknowledge(store.log);
      } else if (action < 7) {
        store.log.nextSegment();
      } else if (action < 8) {
        store.log.prepareSegment();
      } else {
        int lane = random.nextInt(setup.partitions());
        Commit commit = underWay.get(lane);
        if (commit == null) {
          begin(store, lane);
        } else if (!isStalled(commit)) {
          advance(store, commit);
        }
      }
    }
    if (random.nextInt(6) == 0) {
      while (!underWay.isEmpty()) {
        advance(store, underWay.values().iterator().next());
      }
      store.closeCleanly();
      closed = true;
      cleanCloses++;
      story.add("closed");
    }
  }

  /** Some lanes get on, whole commits at a time, while the flusher looks at them one by one. */
  private void perhapsAdvance(HandStore store) {
    for (int n = random.nextInt(3); n > 0; n--) {
      int lane = random.nextInt(setup.partitions());
      if (!underWay.containsKey(lane)) {
        begin(store, lane);
      }
      Commit commit = underWay.get(lane);
      while (commit != null && underWay.containsValue(commit) && !isStalled(commit)) {
        advance(store, commit);
      }
    }
  }

  private boolean isStalled(Commit commit) {
    return commit.lane == stalled && commit.step == 2;
  }

  private void acknowledge(HandLog log) {
    for (Commit commit : young) {
      if (commit.returned
          && !commit.doomed
          && commit.endPosition <= log.forced(commit.lane)
          && Lsn.dense(commit.dep) <= log.stable()) {
        commit.acknowledged = true;
      }
    }
  }

  /** Reads, locks what is to be written, and publishes parts if it is a large one. */
  private void begin(HandStore store, int lane) {
    if (!store.log.hasSpace(lane, 2000) || !store.log.tryLease(lane)) {
      return;
    }
    Commit commit = new Commit(commits.size() + 1, lane);
    Map<Long, Long> writes = new HashMap<>();
    for (int n = random.nextInt(1, 4); n > 0; n--) {
      long address = 4096 + random.nextInt(SHARED_WORDS) * 8L;
      if (locks.containsKey(address)) {
        store.log.lane(lane).finish();
        return;
      }
      commit.sources.put(address, writers.get(address));
      if (random.nextInt(3) > 0) {
        writes.put(address, commit.number * 1000L + n);
      }
    }
    commit.writes.putAll(writes);
    commit.writes.put(cell(commit), (long) commit.number);
    commits.add(commit);
    young.add(commit);
    underWay.put(lane, commit);
    commit.multipart = random.nextInt(5) == 0;
    if (commit.multipart) {
      parts(store.log.lane(lane), commit);
      if (random.nextInt(4) == 0) {
        // Given up with its parts published: they must never count.
        commit.doomed = true;
        underWay.remove(lane);
        store.log.lane(lane).finish();
        return;
      }
    }
    for (long address : writes.keySet()) {
      locks.put(address, commit);
    }
  }

  private void parts(Lane lane, Commit commit) {
    commit.endPosition = lane.beginParts();
    int index = 0;
    for (Map.Entry<Long, Long> word : commit.writes.entrySet()) {
      if (index == 2) {
        break;
      }
      int length = RedoRecordLayout.MIN_LENGTH + 16;
      lane.begin(RedoRecordLayout.KIND_PART, length, 1, commit.endPosition, index);
      lane.put(RedoRecordLayout.entryHead(word.getKey(), 1));
      lane.put(word.getValue());
      lane.publish();
      index++;
    }
  }

  private void advance(HandStore store, Commit commit) {
    Lane lane = store.log.lane(commit.lane);
    switch (commit.step) {
      case 0 -> lane.announce();
      case 1 -> {
        commit.lsn = lane.takeLsn();
        for (Map.Entry<Long, Commit> read : commit.sources.entrySet()) {
          commit.doomed |=
              writers.get(read.getKey()) != read.getValue()
                  || locks.getOrDefault(read.getKey(), commit) != commit;
        }
      }
      case 2 -> {
        // Before, so that a death in the middle counts as published: it may or may not be.
        commit.step = 3;
        publish(store, lane, commit);
        commit.step = 2;
      }
      case 3 -> {
        if (!commit.doomed) {
          for (Map.Entry<Long, Long> word : commit.writes.entrySet()) {
            store.store(word.getKey(), word.getValue());
            writers.put(word.getKey(), commit);
          }
        }
      }
      case 4 -> locks.values().removeIf(c -> c == commit);
      default -> {
        lane.finish();
        underWay.remove(commit.lane);
        commit.returned = !commit.doomed;
      }
    }
    commit.step = Math.min(commit.step + 1, STEPS);
  }

  private void publish(HandStore store, Lane lane, Commit commit) {
    if (commit.doomed) {
      lane.publishVoid(commit.lsn);
      return;
    }
    long version = 0;
    for (Commit source : commit.sources.values()) {
      if (isUnstable(source, store) && Lsn.partition(source.lsn) != lane.partition()) {
        version = Math.max(version, source.lsn);
      }
    }
    commit.dep = lane.dependency(version);
    List<Map.Entry<Long, Long>> words = new ArrayList<>(commit.writes.entrySet());
    int multipart = commit.multipart ? Math.min(2, words.size()) : 0;
    int length =
        RedoRecordLayout.MIN_LENGTH
            + (words.size() - multipart) * 16
            + (commit.multipart ? RedoRecordLayout.MULTIPART_PREFIX_BYTES : 0);
    lane.begin(
        commit.multipart ? RedoRecordLayout.KIND_MULTIPART_COMMIT : RedoRecordLayout.KIND_COMMIT,
        length,
        words.size() - multipart,
        commit.lsn,
        commit.dep);
    if (commit.multipart) {
      lane.put(commit.endPosition);
      lane.put(multipart);
    }
    for (Map.Entry<Long, Long> word : words.subList(multipart, words.size())) {
      lane.put(RedoRecordLayout.entryHead(word.getKey(), 1));
      lane.put(word.getValue());
    }
    lane.publish();
    commit.endPosition = store.log.tail(commit.lane);
  }

  private static boolean isUnstable(Commit source, HandStore store) {
    return source != null && Lsn.dense(source.lsn) > store.log.stable();
  }

  @Override
  public String toString() {
    return String.join("\n  ", story);
  }
}
