package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.study.loc.LocCells.TraceKey;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.AccessTrace;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The runs behind Figures 6 to 9: every workload is traced once per transaction size, size of its
 * data and seed, and the trace runs under every setting. One task per trace, one thread per
 * processor.
 */
final class LocRuns {
  static final List<Integer> DEGREES = List.of(1, 2, 4, 8, 16, 32);
  static final List<Integer> LATENCIES_NS = List.of(35, 95, 168, 1000);
  static final List<Integer> TRANSACTION_SIZES = List.of(1, 2, 4, 8, 16, 64);
  static final List<Integer> BANKS = List.of(8, 16, 32);
  static final List<Integer> CALIBRATED_SIZES = List.of(1, 2, 4);
  static final int SOFTWARE_WAIT_NS = 250;

  /** The larger data set: what does not fit the caches. */
  private static final int LARGE_FOOTPRINT = 8;

  /** Fewer would not fill a few windows of the largest degree. */
  private static final int MIN_TRANSACTIONS = 256;

  private final LocPlan plan;
  private final List<LocVariant> variants;
  private final List<DeviceTiming> devices;
  private final Map<TraceKey, Set<Setting>> work = new LinkedHashMap<>();
  private final LongAdder instructions = new LongAdder();
  private final LongAdder busyNs = new LongAdder();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  LocRuns(LocPlan plan) {
    this.plan = plan;
    boolean quick = plan.quick();
    variants = quick ? List.of(LocVariant.HEADLINE) : allVariants();
    devices = quick ? List.of() : otherDevices();
    for (LocVariant variant : variants) {
      figures(variant);
    }
    if (!quick) {
      for (LocVariant variant : calibration()) {
        protocols(variant);
      }
    }
    for (DeviceTiming device : devices) {
      for (Protocol protocol : List.of(Protocol.BASE, Protocol.H_WAL, Protocol.LOC_WAL)) {
        add(LocVariant.HEADLINE, LocCells.paper(protocol).withMemory(device));
      }
    }
    add(LocVariant.HEADLINE, LocCells.paper(Protocol.S_WAL).withSoftwareWaitNs(SOFTWARE_WAIT_NS));
    for (Protocol protocol : List.of(Protocol.H_WAL, Protocol.EC_WAL, Protocol.LOC_WAL)) {
      add(LocVariant.HEADLINE, LocCells.paper(protocol).withAtomicGroups(false));
    }
  }

  private static List<LocVariant> allVariants() {
    List<LocVariant> all = new ArrayList<>();
    all.add(LocVariant.HEADLINE);
    all.add(LocVariant.overlap());
    all.add(LocVariant.caches("caches x 0.5", 50));
    all.add(LocVariant.caches("caches x 2", 200));
    for (int operations : TRANSACTION_SIZES) {
      if (operations != LocVariant.OPERATIONS) {
        all.add(LocVariant.operations(operations));
      }
    }
    all.add(LocVariant.data(LARGE_FOOTPRINT));
    return List.copyOf(all);
  }

  /** What banks and operations were chosen from; the headline is one of them. */
  static List<LocVariant> calibration() {
    List<LocVariant> sweep = new ArrayList<>();
    for (int banks : BANKS) {
      for (int operations : CALIBRATED_SIZES) {
        sweep.add(LocVariant.banks(banks, operations));
      }
    }
    return List.copyOf(sweep);
  }

  private static List<DeviceTiming> otherDevices() {
    List<DeviceTiming> figure9 = LATENCIES_NS.stream().map(DeviceTiming::fixed).toList();
    return DeviceTiming.presets().stream().filter(device -> !figure9.contains(device)).toList();
  }

  /** Devices that Figure 9 does not have, beyond the paper. */
  List<DeviceTiming> devices() {
    return devices;
  }

  List<LocVariant> variants() {
    return variants;
  }

  private void protocols(LocVariant variant) {
    for (Protocol protocol : Protocol.values()) {
      add(variant, LocCells.paper(protocol));
    }
    for (int degree : DEGREES) {
      add(variant, Setting.paper(Protocol.LOC_WAL, degree));
    }
  }

  private void figures(LocVariant variant) {
    protocols(variant);
    for (int latencyNs : LATENCIES_NS) {
      for (Protocol protocol : protocolsAtEveryLatency(variant)) {
        add(variant, LocCells.paper(protocol).withMemory(DeviceTiming.fixed(latencyNs)));
      }
    }
  }

  /** All for the headline, whose orders must hold at every latency; else those of Figure 9. */
  static List<Protocol> protocolsAtEveryLatency(LocVariant variant) {
    return variant.equals(LocVariant.HEADLINE)
        ? List.of(Protocol.values())
        : List.of(Protocol.BASE, Protocol.H_WAL, Protocol.LOC_WAL);
  }

  private void add(LocVariant variant, Setting setting) {
    for (WorkloadKind workload : plan.workloads()) {
      for (int seed = 1; seed <= (variant.allSeeds() ? plan.seeds() : 1); seed++) {
        work.computeIfAbsent(variant.trace(workload, seed), _ -> new LinkedHashSet<>())
            .add(variant.on(setting));
      }
    }
  }

  boolean quick() {
    return plan.quick();
  }

  int runs() {
    return work.values().stream().mapToInt(Set::size).sum();
  }

  /**
   * Memory instructions executed per second of processor time, over all runs. Other work on the
   * machine does not count, but the compiler's and the collector's threads do not either.
   */
  double memoryInstructionsPerSec() {
    return instructions.sum() * 1e9 / busyNs.sum();
  }

  LocCells run(StudyProgress progress) throws InterruptedException {
    LocCells cells = new LocCells(plan.workloads(), plan.seeds());
    AtomicInteger done = new AtomicInteger();
    int all = runs();
    int cores = Runtime.getRuntime().availableProcessors();
    try (ExecutorService pool = Executors.newFixedThreadPool(cores)) {
      List<Future<?>> tasks = new ArrayList<>();
      work.forEach(
          (key, settings) ->
              tasks.add(
                  pool.submit(
                      () -> {
                        AccessTrace trace = trace(key);
                        for (Setting setting : settings) {
                          cells.put(key, setting, timed(trace, setting));
                          done.incrementAndGet();
                        }
                      })));
      for (Future<?> task : tasks) {
        while (!task.isDone()) {
          progress.show(done + " of " + all + " runs", (double) done.get() / all);
          Thread.sleep(20);
        }
        task.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a run failed: " + e.getCause(), e.getCause());
    }
    return cells;
  }

  private AccessTrace trace(TraceKey key) {
    int count =
        Math.max(MIN_TRANSACTIONS, plan.transactions() * LocVariant.OPERATIONS / key.operations());
    return key.workload().trace(count, key.operations(), key.footprintScale(), key.seed());
  }

  private TraceRun timed(AccessTrace trace, Setting setting) {
    long before = threads.getCurrentThreadCpuTime();
    TraceRun run = setting.run(trace);
    busyNs.add(threads.getCurrentThreadCpuTime() - before);
    instructions.add(trace.length());
    return run;
  }
}
