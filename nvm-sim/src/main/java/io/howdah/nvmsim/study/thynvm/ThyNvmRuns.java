package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.thynvm.system.Core;
import io.howdah.nvmsim.thynvm.system.CoreResult;
import io.howdah.nvmsim.thynvm.system.MemorySystem;
import io.howdah.nvmsim.thynvm.system.MemoryTiming;
import io.howdah.nvmsim.thynvm.system.ThyNvmSetting;
import io.howdah.nvmsim.thynvm.workload.Kernel;
import io.howdah.nvmsim.thynvm.workload.MicroBenchmark;
import io.howdah.nvmsim.workload.GrowingStore;
import io.howdah.nvmsim.workload.KeyValueProgram.Structure;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Runs a plan on all cores; what it measures follows from the plan alone. */
final class ThyNvmRuns {
  /** Request sizes of Figures 9 and 10, in bytes. */
  static final List<Integer> REQUEST_BYTES = List.of(16, 64, 256, 1024, 4096);

  /** BTT entries of Figure 12. */
  static final List<Integer> BTT_SWEEP = List.of(256, 512, 1024, 2048, 4096, 8192);

  /**
   * Keys of each request size, and requests: the authors' megabytes over the size; of 16 bytes
   * half.
   */
  private static final int[] KEYS = {1 << 20, 1 << 19, 1 << 18, 1 << 16, 1 << 15};

  private static final int QUICK_SHARE = 16;

  /** Name of the runs with hashed banks. */
  static final String HASHED_BANKS = "hashed banks";

  private final ThyNvmPlan plan;
  private final Map<Run, CoreResult> results = new LinkedHashMap<>();
  private final LongAdder busyNs = new LongAdder();
  private final LongAdder accesses = new LongAdder();
  private final LongAdder requests = new LongAdder();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  /** A program on a system. */
  record Run(
      Mode mode, SystemKind system, String variant, ThyNvmSetting setting, Program program) {}

  /** A program by name and size; the size is 0 where it has none. */
  record Program(String name, int bytes) {}

  ThyNvmRuns(ThyNvmPlan plan) {
    this.plan = plan;
  }

  /**
   * Runs everything.
   *
   * @param progress told about each run
   */
  ThyNvmResult run(StudyProgress progress) throws InterruptedException {
    List<Run> runs = runs();
    AtomicInteger done = new AtomicInteger();
    int workers = Math.max(1, Runtime.getRuntime().availableProcessors());
    try (ExecutorService executor = Executors.newFixedThreadPool(workers)) {
      Map<Run, Future<CoreResult>> tasks = new LinkedHashMap<>();
      for (Run run : runs) {
        tasks.put(
            run,
            executor.submit(
                () -> {
                  CoreResult result = execute(run);
                  progress.show("runs", (double) done.incrementAndGet() / runs.size());
                  return result;
                }));
      }
      for (Map.Entry<Run, Future<CoreResult>> task : tasks.entrySet()) {
        results.put(task.getKey(), task.getValue().get());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a run failed: " + e.getCause(), e.getCause());
    }
    double seconds = busyNs.sum() / 1e9;
    return new ThyNvmResult(plan, results, accesses.sum() / seconds, requests.sum() / seconds);
  }

  /** Every run of the plan, in the order of the report. */
  List<Run> runs() {
    List<Run> runs = new ArrayList<>();
    for (Mode mode : plan.modes()) {
      ThyNvmSetting setting = plan.setting(mode);
      for (MicroBenchmark micro : MicroBenchmark.values()) {
        Program program = new Program(micro.text(), 0);
        addAll(runs, mode, "", setting, program);
        addAll(runs, mode, HASHED_BANKS, setting, program);
      }
      for (Structure structure : Structure.values()) {
        for (int bytes : plan.quick() ? List.of(256) : REQUEST_BYTES) {
          addAll(runs, mode, "", setting, new Program(structure.text(), bytes));
        }
      }
      for (Kernel kernel : Kernel.values()) {
        Program program = new Program(kernel.text(), 0);
        for (SystemKind system :
            List.of(SystemKind.IDEAL_DRAM, SystemKind.IDEAL_NVM, SystemKind.THYNVM)) {
          runs.add(new Run(mode, system, "", setting, program));
        }
      }
      if (!plan.quick()) {
        for (int entries : BTT_SWEEP) {
          for (int bytes : new int[] {64, 1024}) {
            runs.add(
                new Run(
                    mode,
                    SystemKind.THYNVM,
                    "btt",
                    setting.withBlockEntries(entries),
                    new Program(Structure.HASH.text(), bytes)));
          }
        }
      }
      if (mode == Mode.PAPER && !plan.quick()) {
        for (Map.Entry<String, ThyNvmSetting> variant : variants(setting).entrySet()) {
          for (MicroBenchmark micro : MicroBenchmark.values()) {
            runs.add(
                new Run(
                    mode,
                    SystemKind.THYNVM,
                    variant.getKey(),
                    variant.getValue(),
                    new Program(micro.text(), 0)));
          }
        }
      }
    }
    return runs;
  }

  private static void addAll(
      List<Run> runs, Mode mode, String variant, ThyNvmSetting setting, Program program) {
    for (SystemKind system : SystemKind.values()) {
      runs.add(new Run(mode, system, variant, setting, program));
    }
  }

  /** Ablations, and the two corners of Table 1. */
  static Map<String, ThyNvmSetting> variants(ThyNvmSetting setting) {
    Map<String, ThyNvmSetting> variants = new LinkedHashMap<>();
    variants.put("no overlap", setting.withoutOverlap());
    variants.put("tables in background", setting.withTablesInBackground());
    variants.put(
        "tables in background, no overlap", setting.withTablesInBackground().withoutOverlap());
    variants.put("no co-operation", setting.with(setting.policy().withoutCooperation()));
    variants.put("blocks only", setting.with(setting.policy().withoutSwitching()));
    variants.put("pages only", setting.with(setting.policy().withPagesOnly()));
    variants.put("demotion if full", setting.with(setting.policy().withDemotionWhenFull()));
    variants.put("unbounded flush", setting.withUnboundedFlush());
    return variants;
  }

  private CoreResult execute(Run run) {
    long before = threads.getCurrentThreadCpuTime();
    MemoryTiming timing = run.mode.timing();
    MemorySystem memory =
        run.system.create(
            run.mode,
            run.variant.equals(HASHED_BANKS) ? timing.withHashedBanks() : timing,
            run.setting);
    Core core = new Core(memory, run.mode.dataFlush());
    runProgram(run.program, core);
    CoreResult result = core.result();
    busyNs.add(threads.getCurrentThreadCpuTime() - before);
    accesses.add(result.accesses());
    requests.add(result.requests());
    return result;
  }

  private void runProgram(Program program, Core core) {
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      if (micro.text().equals(program.name)) {
        micro.run(core, plan.scale(), plan.seed());
        return;
      }
    }
    for (Kernel kernel : Kernel.values()) {
      if (kernel.text().equals(program.name)) {
        kernel.run(core, plan.quick() ? 1 : 2, plan.seed());
        return;
      }
    }
    keyValue(program, core);
  }

  private void keyValue(Program program, Core core) {
    int size = REQUEST_BYTES.indexOf(program.bytes);
    int keys = plan.quick() ? KEYS[size] / QUICK_SHARE : KEYS[size];
    Structure structure = Structure.valueOf(program.name.toUpperCase(Locale.ROOT));
    SplitMix random = new SplitMix(plan.seed());
    try (GrowingStore store = new GrowingStore(structure, keys, program.bytes, core)) {
      for (int i = 0; i < keys; i++) {
        store.request(random);
      }
      core.countRequests(keys);
    }
  }
}
