package io.howdah.nvmsim.crash.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import io.howdah.nvmsim.loc.Contents;
import io.howdah.nvmsim.loc.CoreConfig;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.loc.TransactionCore;
import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.timing.CacheGeometry;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.timing.HierarchyGeometry;
import io.howdah.nvmsim.workload.AccessTrace;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.Arrays;
import java.util.Optional;

/**
 * Campaigns of power cuts, for the paper's protocols and for own ones. Small runs have caches of a
 * few lines, so that versions overflow, a log of a few groups, so that it wraps, and two lives, the
 * second on what recovery left of the first; they are cut after every event. Large runs are
 * workloads, cut at sampled events.
 *
 * @param target what runs
 * @param degree of speculation
 * @param atomicGroups whether block groups or only 8-byte words are atomic
 * @param homeOverlap whether home writes go on beside the next window
 */
public record PowerCuts(CutTarget target, int degree, boolean atomicGroups, boolean homeOverlap) {
  private static final int HOME_LINES = 10;
  private static final int LIVES = 2;

  private static final HierarchyGeometry SMALL =
      new HierarchyGeometry(
          new CacheGeometry("L1", 128, 2, 0),
          new CacheGeometry("L2", 256, 4, 7),
          new CacheGeometry("LLC", 512, 4, 12));

  private static final HierarchyGeometry MEDIUM =
      new HierarchyGeometry(
          new CacheGeometry("L1", 4096, 2, 0),
          new CacheGeometry("L2", 16 << 10, 8, 7),
          new CacheGeometry("LLC", 64 << 10, 16, 12));

  private static final int LARGE_LOG_GROUPS = 4096;

  /** Operations; cuts need no steady state. */
  private static final int LARGE_WARM_UP = 16;

  /** Waits for home writes at the end of each window, as the headline does. */
  public PowerCuts(Protocol protocol, int degree, boolean atomicGroups) {
    this(protocol, degree, atomicGroups, false);
  }

  /** A protocol of the paper. */
  public PowerCuts(Protocol protocol, int degree, boolean atomicGroups, boolean homeOverlap) {
    this(new CutTarget.Paper(protocol), degree, atomicGroups, homeOverlap);
  }

  /**
   * A protocol of the user; only words of its lines are atomic.
   *
   * @throws IllegalArgumentException if it has no recovery
   */
  public PowerCuts(ProtocolProvider provider, int degree) {
    this(new CutTarget.Own(provider), degree, false, false);
  }

  /**
   * Room for two windows, so that truncation is late and the log wraps all the same; for four if
   * the head is a window later.
   */
  private int smallLogGroups() {
    return homeOverlap ? 6 * degree + 4 : 3 * degree + 2;
  }

  private CoreConfig config(HierarchyGeometry caches, long homeLines, int logGroups) {
    return new CoreConfig(
        caches, DeviceTiming.fixed(168), homeLines, logGroups, atomicGroups, 0, homeOverlap);
  }

  /** Runs a small random program and cuts it after every event. */
  public PowerCutResult small(long seed) {
    CoreConfig config = config(SMALL, HOME_LINES, smallLogGroups());
    SplitMix random = new SplitMix(seed);
    long[] memory = target.newMemory(config);
    for (int i = 0; i < HOME_LINES * LINE_WORDS; i++) {
      memory[i] = -i - 1L;
    }
    PowerCutResult result = new PowerCutResult(0, 0, Optional.empty());
    for (int life = 0; life < LIVES && result.violation().isEmpty(); life++) {
      PersistTape tape = new PersistTape();
      TransactionCore core = target.newCore(config, degree, new Contents(memory.clone(), tape));
      CutProgram program =
          new CutProgram(core, tape, HOME_LINES, random, memory, target.overlaps(degree));
      String broken = program.run();
      CutChecker checker =
          new CutChecker(
              target, config, program.history(), memory, program.firstTxId() - 1, random.next());
      PowerCutResult checked =
          broken.isEmpty()
              ? checker.check(tape.events(), memory, 1)
              : new PowerCutResult(0, 0, Optional.of(broken));
      result = result.plus(checked);
      memory = checker.someRecoveredState();
    }
    return withSeed(result, seed);
  }

  private PowerCutResult withSeed(PowerCutResult result, long seed) {
    return new PowerCutResult(
        result.states(),
        result.secondCuts(),
        result
            .violation()
            .map(what -> what + " (" + target.name() + ", " + this + ", seed " + seed + ")"));
  }

  /** Runs a workload and cuts it at about so many of its events. */
  public PowerCutResult large(WorkloadKind workload, int transactions, int cuts, long seed) {
    AccessTrace trace = workload.trace(transactions, LARGE_WARM_UP, 2, 1, seed);
    CoreConfig config = config(MEDIUM, trace.lines(), LARGE_LOG_GROUPS);
    long[] memory = target.newMemory(config);
    PersistTape tape = new PersistTape();
    TransactionCore core = target.newCore(config, degree, new Contents(memory.clone(), tape));
    History history = new History(Arrays.copyOf(memory, (int) config.homeLines() * LINE_WORDS), 1);
    play(trace, core, history, tape);
    CutChecker checker = new CutChecker(target, config, history, memory, 0, seed);
    int every = Math.max(2, tape.events().size() / cuts);
    return withSeed(checker.check(tape.events(), memory, every), seed);
  }

  private static void play(
      AccessTrace trace, TransactionCore core, History history, PersistTape tape) {
    long txId = 0;
    for (int i = 0; i < trace.length(); i++) {
      long entry = trace.entry(i);
      long address = AccessTrace.address(entry);
      switch (AccessTrace.kind(entry)) {
        case AccessTrace.LOAD -> core.load(address);
        case AccessTrace.STORE -> {
          core.store(txId, address, i);
          history.store(txId, (int) (address / Long.BYTES), i);
        }
        case AccessTrace.BEGIN -> {
          txId = core.begin();
          history.begin();
        }
        case AccessTrace.COMMIT -> {
          tape.finished(txId);
          core.commit(txId);
        }
        default -> {}
      }
    }
    core.flush();
  }
}
