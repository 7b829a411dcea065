package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.thynvm.SchemePolicy;
import io.howdah.nvmsim.thynvm.system.Core;
import io.howdah.nvmsim.thynvm.system.CoreResult;
import io.howdah.nvmsim.thynvm.system.IdealMemory;
import io.howdah.nvmsim.thynvm.system.MemorySystem;
import io.howdah.nvmsim.thynvm.system.MemoryTiming;
import io.howdah.nvmsim.thynvm.system.SystemStats;
import io.howdah.nvmsim.thynvm.system.ThyNvmSetting;
import io.howdah.nvmsim.thynvm.workload.MicroBenchmark;
import io.howdah.nvmsim.workload.AccessTrace;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Recorded programs on ThyNVM and the systems it is compared with, and a sweep of the threshold at
 * which a page goes to the page scheme. Nothing is compared with the paper, and nothing is gated.
 * For one thread.
 */
public final class ThyNvmTrial {
  /** Stores per epoch above which a page goes to the page scheme; 64 lines make a page. */
  static final List<Integer> THRESHOLDS = List.of(0, 2, 4, 8, 16, 22, 32, 48, 60);

  /** A recorded run is repeated until it has lasted so many of the longest epochs. */
  private static final int MIN_EPOCHS = 5;

  /** Enough for five epochs of 10 ms of a program that does nothing but access its caches. */
  private static final int MAX_ACCESSES = 50_000_000;

  private static final double PS_PER_MS = 1e9;

  private final ThyNvmPlan plan;
  private final int maxAccesses;
  private final StudyReport report = new StudyReport();

  /** Prepares runs with the plan's sizes, epoch and seed, in mode {@code paper}. */
  public ThyNvmTrial(ThyNvmPlan plan) {
    this(plan, MAX_ACCESSES);
  }

  ThyNvmTrial(ThyNvmPlan plan, int maxAccesses) {
    this.plan = plan;
    this.maxAccesses = maxAccesses;
    report.line(
        "BTT %d, PTT %d, epochs of at most %.2f ms",
        plan.blockEntries(), plan.dramPages(), plan.epochMs());
  }

  /** Runs a recorded program on every system. */
  public void run(String name, AccessTrace trace) {
    report.title(name + ": time over Ideal DRAM, share of waiting, NVM writes");
    Consumer<Core> program = core -> replay(trace, core);
    double base = 0;
    for (SystemKind system : SystemKind.values()) {
      CoreResult result =
          result(system.createBounded(Mode.PAPER, plan.setting(Mode.PAPER)), program);
      if (system == SystemKind.IDEAL_DRAM) {
        base = result.elapsedPs();
        warnIfShort(trace, base);
      }
      row(name, system.text(), Map.of(), result, base);
    }
  }

  /** Sweeps the threshold on a recorded program. */
  public void sweep(String name, AccessTrace trace) {
    warnIfShort(trace, sweep(name, core -> replay(trace, core)));
  }

  /** Sweeps the threshold on the micro-benchmarks. */
  public void sweepPatterns() {
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      double _ = sweep(micro.text(), core -> micro.run(core, plan.scale(), plan.seed()));
    }
  }

  /** Returns the shortest time on Ideal DRAM. */
  private double sweep(String name, Consumer<Core> program) {
    double shortest = Double.MAX_VALUE;
    for (MemoryTiming timing : List.of(MemoryTiming.PAPER, MemoryTiming.SOFTWARE)) {
      report.title(name + ": threshold of the page scheme, costs of preset " + timing.name());
      double base = result(new IdealMemory(timing, true), program).elapsedPs();
      shortest = Math.min(shortest, base);
      ThyNvmSetting setting = plan.setting(Mode.PAPER);
      for (int above : THRESHOLDS) {
        // The paper's two thresholds, 22 and 16, keep their ratio.
        int below = above * SchemePolicy.PAPER.demoteBelow() / SchemePolicy.PAPER.promoteAbove();
        SchemePolicy policy = new SchemePolicy(above, below, true, true, true, false);
        sweepRow(name, String.valueOf(above), timing, setting.with(policy), program, base);
      }
      SchemePolicy blocks = setting.policy().withoutSwitching();
      sweepRow(name, "blocks only", timing, setting.with(blocks), program, base);
      SchemePolicy pages = setting.policy().withPagesOnly();
      sweepRow(name, "pages only", timing, setting.with(pages), program, base);
    }
    return shortest;
  }

  private void warnIfShort(AccessTrace trace, double elapsedPs) {
    double epochs = elapsedPs / PS_PER_MS / plan.epochMs();
    if (epochs < MIN_EPOCHS) {
      report.line(
          "warning: the run is short. Repeated %d times, what is measured of it lasts %.1f of the"
              + " longest epochs on Ideal DRAM, not %d; choose a shorter epoch",
          rounds(trace), epochs, MIN_EPOCHS);
    }
  }

  private void sweepRow(
      String name,
      String threshold,
      MemoryTiming timing,
      ThyNvmSetting setting,
      Consumer<Core> program,
      double base) {
    row(
        name,
        threshold,
        Map.of("timing", timing.name()),
        result(setting.system(timing), program),
        base);
  }

  private void row(
      String workload, String what, Map<String, Object> more, CoreResult result, double base) {
    SystemStats stats = result.stats();
    report.line(
        "%-12s %7.3f %6.1f %%  CPU %8.2f MB  checkpoints %8.2f  migration %8.2f  epochs %5d",
        what,
        result.elapsedPs() / base,
        100 * result.checkpointShare(),
        SystemStats.megabytes(stats.cpuBlocks()),
        SystemStats.megabytes(stats.checkpointBlocks() - stats.tableBlocks()),
        SystemStats.megabytes(stats.migrationBlocks()),
        stats.checkpoints());
    Map<String, Object> params = new TreeMap<>(more);
    params.put("workload", workload);
    params.put(more.isEmpty() ? "system" : "threshold", what);
    report.add(
        StudyValue.single(
            "thynvm.trial.overIdealDram", "ratio", result.elapsedPs() / base, params));
    report.add(
        StudyValue.single(
            "thynvm.trial.nvmMegabytes",
            "MB",
            SystemStats.megabytes(stats.writtenDataBlocks()),
            params));
  }

  private CoreResult result(MemorySystem memory, Consumer<Core> program) {
    Core core = new Core(memory, true);
    program.accept(core);
    return core.result();
  }

  /** Every system does the same rounds. */
  private void replay(AccessTrace trace, Core core) {
    int rounds = rounds(trace);
    for (int round = 0; round < rounds; round++) {
      long transactions = 0;
      for (int i = 0; i < trace.length(); i++) {
        long entry = trace.entry(i);
        core.work(AccessTrace.workBefore(entry));
        switch (AccessTrace.kind(entry)) {
          case AccessTrace.LOAD -> core.load(AccessTrace.address(entry));
          case AccessTrace.STORE -> core.store(AccessTrace.address(entry));
          case AccessTrace.COMMIT -> transactions++;
          case AccessTrace.MEASURE -> {
            if (round == 0) {
              core.beginMeasurement();
            }
          }
          default -> {
            // Begins of transactions, and data that is at Home before the run.
          }
        }
      }
      core.countRequests(transactions * (round + 1));
    }
  }

  /** As many as last {@link #MIN_EPOCHS} if no access leaves L1, within the most accesses. */
  private int rounds(AccessTrace trace) {
    long instructions = 0;
    long warmUp = 0;
    for (int i = 0; i < trace.length(); i++) {
      long entry = trace.entry(i);
      instructions += AccessTrace.workBefore(entry);
      switch (AccessTrace.kind(entry)) {
        case AccessTrace.LOAD, AccessTrace.STORE -> instructions++;
        case AccessTrace.MEASURE -> warmUp = instructions;
        default -> {
          // Not an instruction.
        }
      }
    }
    double instructionPs = Core.CYCLES_PER_INSTRUCTION * Core.CYCLE_PS;
    double roundPs = instructions * instructionPs;
    double wantedPs = MIN_EPOCHS * plan.epochMs() * PS_PER_MS + warmUp * instructionPs;
    int max = Math.max(1, maxAccesses / trace.length());
    return (int) Math.clamp(Math.ceil(wantedPs / roundPs), 1, max);
  }

  /** What all runs so far gave. */
  public StudyOutcome outcome() {
    return report.outcome();
  }
}
