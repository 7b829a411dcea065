package io.howdah.crashtest.workload;

import io.howdah.core.storage.Storage;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.Crash;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashPoint;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.disk.CrashPoints;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.RecoveryMemo;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Mixer;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Explores the crashes of workloads on one kind of disk. A workload dies before, in the middle of
 * and after every operation that changes the disk, and comes back after a kill and in the states
 * that a power cut may leave; then recoveries die.
 *
 * <p>A work's threads are preempted at random. A recovery's change only where one waits, so that
 * what it does follows from what it reads ({@link RecoveryMemo}). For one thread.
 */
final class WorkloadExplorer {

  private static final CrashKind[] KINDS = {CrashKind.KILL, CrashKind.POWER_CUT};
  private static final int SWITCH_ONE_IN = 2048;
  private static final int MAX_REMEMBERED = 4_000_000;

  private static final int CHOICES_IN_RECOVERY = 64;
  private static final int RUNS_IN_RECOVERY = 4;

  private final long seed;
  private final CrashUnit unit;
  private final ExploreBounds bounds;
  private final RecoveryMemo<Outcome> memo = new RecoveryMemo<>();

  private final UnaryOperator<Storage> medium;
  private final @Nullable BiConsumer<String, String> verdicts;
  private final SimulatedDisk prepared;
  private final Content preparedContent;

  private Explored explored = Explored.NOTHING;
  private int allPoints;

  /**
   * What a recovery made of a disk.
   *
   * @param found or null if it failed
   * @param failure or null if it did not
   * @param points where it might die
   */
  private record Outcome(
      @Nullable Found found, @Nullable Throwable failure, List<CrashPoint> points) {

    boolean isLike(Outcome other) {
      return found == null
          ? other.failure != null
              && failure != null
              && failure.toString().equals(other.failure.toString())
          : found.equals(other.found) && points.equals(other.points);
    }
  }

  /** Explores the engine on a disk that keeps its promises. */
  WorkloadExplorer(long seed, CrashUnit unit, ExploreBounds bounds) {
    this(seed, unit, bounds, UnaryOperator.identity(), null);
  }

  /**
   * Explores an engine that may be wrong.
   *
   * @param medium what lies between the store and the disk while a workload runs
   * @param verdicts gets each state, as a replay, with what came out; null to stop at a violation
   */
  WorkloadExplorer(
      long seed,
      CrashUnit unit,
      ExploreBounds bounds,
      UnaryOperator<Storage> medium,
      @Nullable BiConsumer<String, String> verdicts) {
    this.medium = medium;
    this.verdicts = verdicts;
    this.seed = seed;
    this.unit = unit;
    this.bounds = bounds;
    SimulatedExecution execution = working();
    SimulatedDisk disk =
        SimulatedDisk.builder(seed)
            .unit(unit)
            .failedForce(FailedForce.UNKNOWN_UNTIL_REWRITTEN) // the image is folded in place
            .build();
    disk.scheduleWith(execution, Mixer.mix(seed, 1));
    SmallWorkload workload = new SmallWorkload(List.of());
    execution.run(() -> workload.prepare(new Machine(disk, execution, List.of())));
    // Nothing of the preparation is left to lose, so that states differ in what the steps do.
    disk.powerCut(CrashChoice.KEEP_ALL);
    prepared = disk;
    preparedContent = workload.latest();
  }

  /** Forgets what recoveries have read: what comes next has little in common with it. */
  void forget() {
    memo.clear();
  }

  /**
   * Explores a workload.
   *
   * @param onlyLast whether crashes before the last step are left to another workload that begins
   *     with the same steps: up to there, both do the same
   * @param from how many of its moments of death come before those to explore
   * @param limit asked before each of these moments
   * @throws Violation if a promise is broken; the message says how to see it again
   */
  Explored explore(List<Step> steps, boolean onlyLast, long from, ExploreLimit limit) {
    explored = Explored.NOTHING;
    Life whole = new Life(steps, CrashPoint.END);
    long first = onlyLast ? whole.workload.lastStepAt() + 1 : 1;
    List<CrashPoint> all = CrashPoints.ofOperations(whole.disk, first);
    List<CrashPoint> points = new ArrayList<>(CrashPoints.spread(all, bounds.points()));
    points.add(CrashPoint.END);
    allPoints = points.size();
    for (int i = (int) Math.min(from, points.size()); i < points.size(); i++) {
      if (limit.isReached()) {
        return explored.withPointsLeft(points.size() - i);
      }
      CrashPoint point = points.get(i);
      long before = explored.states();
      Life life = point.equals(CrashPoint.END) ? whole : new Life(steps, point);
      comeBack(
          steps, life.disk, point, life.workload.expected(), new WorkloadReplay(unit, List.of()));
      explored = explored.plusPoint();
      limit.add(explored.states() - before);
    }
    return explored;
  }

  /** The same of all its moments of death, without a limit. */
  Explored explore(List<Step> steps, boolean onlyLast) {
    return explore(steps, onlyLast, 0, ExploreLimit.none());
  }

  /** Returns at how many moments the workload that was explored last dies. */
  int allPoints() {
    return allPoints;
  }

  /** Repeats crashes of a workload, without regard to what is known. */
  void replay(List<Step> steps, WorkloadReplay replay) {
    List<Crash> crashes = replay.crashes();
    Life life = new Life(steps, crashes.getFirst().point());
    SimulatedDisk disk = life.disk;
    Expected expected = life.workload.expected();
    WorkloadReplay until = new WorkloadReplay(unit, List.of());
    for (Crash crash : crashes) {
      if (!until.crashes().isEmpty()) {
        Dying dying = new Dying(disk, crash.point(), until.crashes().size());
        expected = dying.judge.expected(expected);
      }
      expected = expected.after(crash.kind());
      until = until.with(crash);
      SimulatedDisk crashed = disk;
      disk = crashed.after(crash);
    }
    Outcome outcome = judged(disk, crashes.size());
    require(steps, outcome, expected, until, disk);
  }

  private void comeBack(
      List<Step> steps,
      SimulatedDisk crashed,
      CrashPoint point,
      Expected expected,
      WorkloadReplay before) {
    for (CrashKind kind : KINDS) {
      if (memo.size() > MAX_REMEMBERED) {
        memo.clear();
      }
      int depth = before.crashes().size();
      RecoveryMemo.At<Outcome> at = memo.at(crashed, point, kind, depth);
      CrashStates states = at.states();
      long choices = kind.losesUnforced() ? states.count() : 1;
      choices = Math.min(choices, depth == 0 ? bounds.states() : CHOICES_IN_RECOVERY);
      int runs = depth == 0 ? bounds.runs() : RUNS_IN_RECOVERY;
      CrashChoice died = CrashChoice.KEEP_ALL;
      @Nullable Outcome of = null;
      for (long n = 0; n < choices; n++) {
        CrashChoice choice = choice(states, kind, n, choices);
        WorkloadReplay replay = before.with(new Crash(point, kind, choice));
        Outcome outcome = bounds.isPruned() ? at.find(choice) : null;
        if (outcome != null) {
          audit(at, replay, n, outcome);
        } else if (runs == 0) {
          explored = explored.plusLeftOut();
          continue;
        } else {
          RecoveryMemo.Left left = at.leave(choice);
          outcome = judged(left.disk(), depth + 1);
          at.learn(choice, left, outcome);
          runs--;
          explored = explored.plusRun();
          died = choice;
          of = outcome;
        }
        explored = explored.plusState(depth > 0);
        require(steps, outcome, expected.after(kind), replay, null);
      }
      if (of != null && depth < bounds.depth()) {
        Crash crash = new Crash(point, kind, died);
        die(steps, crashed.after(crash), of, expected.after(kind), before.with(crash));
      }
    }
  }

  /** Runs one in so many of the states that need no run; each must end as it was said to. */
  private void audit(RecoveryMemo.At<Outcome> at, WorkloadReplay replay, long n, Outcome known) {
    Crash first = replay.crashes().getFirst();
    if (bounds.auditOneIn() == 0
        || Long.remainderUnsigned(Mixer.mix(seed, first.point().number(), n), bounds.auditOneIn())
            != 0) {
      return;
    }
    RecoveryMemo.Left left = at.leave(replay.crashes().getLast().choice());
    Outcome outcome = judged(left.disk(), replay.crashes().size());
    if (!outcome.isLike(known)) {
      throw new IllegalStateException(
          replay + " was to end as " + known + ", and ended as " + outcome);
    }
    explored = explored.plusAudited();
  }

  /** Returns all choices in an order that goes through the enumeration in large steps. */
  private static CrashChoice choice(CrashStates states, CrashKind kind, long n, long choices) {
    if (!kind.losesUnforced()) {
      return CrashChoice.KEEP_ALL;
    }
    if (choices < states.count()) {
      return n == 0
          ? CrashChoice.LOSE_ALL
          : states.choice((long) ((double) states.count() * n / choices));
    }
    // Odd and beyond any count of the form 2^k, but 3 variants: coprime to 2 and 3.
    long stride = 1_000_003 % choices;
    while (gcd(stride, choices) != 1) {
      stride++;
    }
    return states.choice(n * stride % choices);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Has the recovery of a disk die at some of its operations. */
  private void die(
      List<Step> steps,
      SimulatedDisk left,
      Outcome outcome,
      Expected expected,
      WorkloadReplay replay) {
    int depth = replay.crashes().size();
    List<CrashPoint> all = outcome.points();
    int max = Math.min(all.size(), depth == 1 ? bounds.recoveryPoints() : 1);
    // Other points in each recovery, so that many of them together meet all.
    long offset = Long.remainderUnsigned(Mixer.mix(seed, replay.toString().hashCode()), 1 << 20);
    for (int i = 0; i < max; i++) {
      CrashPoint point = all.get((int) ((offset + (long) all.size() * i / max) % all.size()));
      Dying dying = new Dying(left.fork(), point, depth);
      comeBack(steps, dying.disk, point, dying.judge.expected(expected), replay);
    }
  }

  private void require(
      List<Step> steps,
      Outcome outcome,
      Expected expected,
      WorkloadReplay replay,
      @Nullable SimulatedDisk recovered) {
    Throwable failure = outcome.failure();
    Found found = outcome.found();
    String complaint = found == null ? String.valueOf(failure) : expected.complaint(found);
    if (verdicts != null) {
      verdicts.accept(replay.toString(), complaint.isEmpty() ? String.valueOf(found) : complaint);
      return;
    }
    if (complaint.isEmpty()) {
      return;
    }
    String message =
        "[replay: howdah test explore --workload "
            + Sequences.text(steps)
            + " --seed "
            + seed
            + " --replay "
            + replay
            + "] "
            + complaint
            + (recovered == null ? "" : "; operations on the disk: " + recovered.trace());
    throw failure == null ? new Violation(message) : new Violation(message, failure);
  }

  /** Recovers and judges a disk. */
  private Outcome judged(SimulatedDisk disk, int life) {
    SimulatedExecution execution = recovering(disk, life);
    Judge judge = new Judge();
    try {
      execution.run(() -> judge.check(new Machine(disk, execution, List.of())));
    } catch (Exception | Error e) {
      Throwable cause = e instanceof AssertionError && e.getCause() != null ? e.getCause() : e;
      return new Outcome(null, cause, List.of());
    }
    return new Outcome(judge.found(), null, CrashPoints.ofOperations(disk, 1));
  }

  /** Half of the seeds have virtual threads, whose waits for durability differ. */
  private SimulatedExecution working() {
    return SimulatedExecution.builder(Schedule.random(seed, SWITCH_ONE_IN))
        .virtualThreads((seed & 1) == 0)
        .build();
  }

  private SimulatedExecution recovering(SimulatedDisk disk, int life) {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.roundRobin(Integer.MAX_VALUE)).virtualThreads().build();
    disk.scheduleWith(execution, Mixer.mix(seed, 2, life));
    return execution;
  }

  /** A recovery that dies. */
  private final class Dying {
    final SimulatedDisk disk;
    final Judge judge = new Judge();

    Dying(SimulatedDisk disk, CrashPoint until, int life) {
      this.disk = disk;
      SimulatedExecution execution = recovering(disk, life);
      disk.disturbAt(until);
      execution.run(() -> judge.check(new Machine(disk, execution, List.of())));
      requireReached(disk, until);
    }
  }

  /** A run of a workload, until it dies. */
  private final class Life {
    final SimulatedDisk disk = prepared.fork();
    final SmallWorkload workload;

    Life(List<Step> steps, CrashPoint until) {
      workload = new SmallWorkload(steps, preparedContent, medium);
      SimulatedExecution execution = working();
      disk.scheduleWith(execution, Mixer.mix(seed, 3));
      disk.disturbAt(until);
      execution.run(() -> workload.work(new Machine(disk, execution, List.of())));
      requireReached(disk, until);
    }
  }

  private static void requireReached(SimulatedDisk disk, CrashPoint until) {
    if (until.isDeath() && !disk.hasCrashed()) {
      throw new IllegalStateException("not every run reaches " + until + ": it is not repeatable");
    }
  }
}
