package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.thynvm.ThyNvmRuns.Program;
import io.howdah.nvmsim.study.thynvm.ThyNvmRuns.Run;
import io.howdah.nvmsim.thynvm.system.CoreResult;
import io.howdah.nvmsim.thynvm.system.SystemStats;
import io.howdah.nvmsim.thynvm.system.ThyNvmSetting;
import io.howdah.nvmsim.thynvm.workload.Kernel;
import io.howdah.nvmsim.thynvm.workload.MicroBenchmark;
import io.howdah.nvmsim.workload.KeyValueProgram.Structure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** The results of a study and the figures made of them. */
final class ThyNvmResult {
  private static final String RATIO = "ratio";
  private static final String THROUGHPUT = "thynvm.kvThroughput";
  private static final String WRITES = "thynvm.nvmWriteMBPerSec";
  private static final String MODE = "mode";
  private static final String SYSTEM = "system";
  private static final String WORKLOAD = "workload";

  private final ThyNvmPlan plan;
  private final Map<Run, CoreResult> results;
  private final double accessesPerSec;
  private final double requestsPerSec;
  private final List<StudyValue> figures = new ArrayList<>();

  ThyNvmResult(
      ThyNvmPlan plan, Map<Run, CoreResult> results, double accessesPerSec, double requestsPerSec) {
    this.plan = plan;
    this.results = results;
    this.accessesPerSec = accessesPerSec;
    this.requestsPerSec = requestsPerSec;
    for (Mode mode : plan.modes()) {
      addMicro(mode);
      addHashedBanks(mode);
      addKeyValue(mode);
      addMeans(mode);
      addKernels(mode);
      addSweep(mode);
      addVariants(mode);
      addMetadata(mode);
    }
  }

  ThyNvmPlan plan() {
    return plan;
  }

  /** Every value, in the order of the paper's figures. */
  List<StudyValue> figures() {
    return List.copyOf(figures);
  }

  /** Loads and stores simulated per second of processor time. */
  double accessesPerSec() {
    return accessesPerSec;
  }

  /** Requests beyond the last cache level per second of processor time, caches included. */
  double requestsPerSec() {
    return requestsPerSec;
  }

  /** A value of a micro-benchmark or kernel on a system. */
  Optional<StudyValue> micro(String name, Mode mode, String workload, SystemKind system) {
    return find(name, MODE, mode.text(), WORKLOAD, workload, SYSTEM, system.text());
  }

  /** Megabytes that a micro-benchmark wrote: cpu, checkpoint, migration or tables. */
  Optional<StudyValue> megabytes(Mode mode, String workload, SystemKind system, String source) {
    return find(
        "thynvm.nvmWriteMB",
        MODE,
        mode.text(),
        WORKLOAD,
        workload,
        SYSTEM,
        system.text(),
        "source",
        source);
  }

  /** A value of a key-value store with requests of this size on a system. */
  Optional<StudyValue> keyValue(
      String name, Mode mode, Structure structure, int requestBytes, SystemKind system) {
    return find(
        name,
        MODE,
        mode.text(),
        "structure",
        structure.text(),
        "requestBytes",
        requestBytes,
        SYSTEM,
        system.text());
  }

  /** A value of the sweep over BTT entries. */
  Optional<StudyValue> sweep(String name, Mode mode, int entries, int requestBytes) {
    return find(name, MODE, mode.text(), "btt", entries, "requestBytes", requestBytes);
  }

  /** A value of ThyNVM with one part changed. */
  Optional<StudyValue> variant(String name, Mode mode, String variant, String workload) {
    return find(name, MODE, mode.text(), "variant", variant, WORKLOAD, workload);
  }

  /** Bytes of both tables. */
  Optional<StudyValue> metadata(Mode mode) {
    return find("thynvm.metadataBytes", MODE, mode.text());
  }

  /** The number; {@link Double#NaN} if it was not measured. */
  static double number(Optional<StudyValue> value) {
    return value.map(StudyValue::value).orElse(Double.NaN);
  }

  /** The value with this name and these of its params, given as name and value in turn. */
  private Optional<StudyValue> find(String name, Object... params) {
    return figures.stream()
        .filter(figure -> figure.name().equals(name) && hasAll(figure, params))
        .findFirst();
  }

  private static boolean hasAll(StudyValue figure, Object... params) {
    for (int i = 0; i < params.length; i += 2) {
      if (!params[i + 1].equals(figure.params().get(params[i]))) {
        return false;
      }
    }
    return true;
  }

  private Optional<CoreResult> result(
      Mode mode, SystemKind system, String variant, ThyNvmSetting setting, Program program) {
    return Optional.ofNullable(results.get(new Run(mode, system, variant, setting, program)));
  }

  private CoreResult plain(Mode mode, SystemKind system, Program program) {
    return Objects.requireNonNull(
        results.get(new Run(mode, system, "", plan.setting(mode), program)));
  }

  private void add(String name, String unit, double value, double published, Object... params) {
    Map<String, Object> all = new TreeMap<>();
    for (int i = 0; i < params.length; i += 2) {
      all.put((String) params[i], params[i + 1]);
    }
    boolean compare = plan.isPublished();
    figures.add(new StudyValue(name, unit, all, List.of(value), compare ? published : Double.NaN));
  }

  private void addMicro(Mode mode) {
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      String workload = micro.text();
      Program program = new Program(workload, 0);
      double dram = plain(mode, SystemKind.IDEAL_DRAM, program).elapsedPs();
      for (SystemKind system : SystemKind.values()) {
        CoreResult run = plain(mode, system, program);
        SystemStats stats = run.stats();
        Object[] where = {MODE, mode.text(), SYSTEM, system.text(), WORKLOAD, workload};
        add(
            "thynvm.overIdealDram",
            RATIO,
            run.elapsedPs() / dram,
            ThyNvmTargets.executionTime(workload, system),
            where);
        add(
            "thynvm.checkpointShare",
            RATIO,
            run.checkpointShare(),
            ThyNvmTargets.checkpointShare(workload, system),
            where);
        add(
            "thynvm.stall.begin",
            RATIO,
            (double) stats.flushStallPs() / run.elapsedPs(),
            Double.NaN,
            where);
        add(
            "thynvm.stall.wait",
            RATIO,
            (double) stats.waitStallPs() / run.elapsedPs(),
            Double.NaN,
            where);
        traffic(mode, system, workload, "cpu", stats.cpuBlocks());
        traffic(
            mode, system, workload, "checkpoint", stats.checkpointBlocks() - stats.tableBlocks());
        traffic(mode, system, workload, "migration", stats.migrationBlocks());
        traffic(mode, system, workload, "total", stats.writtenDataBlocks());
        traffic(mode, system, workload, "tables", stats.tableBlocks());
        add("thynvm.epochs", "epochs", (double) stats.checkpoints(), Double.NaN, where);
      }
    }
  }

  private void traffic(Mode mode, SystemKind system, String workload, String source, long blocks) {
    add(
        "thynvm.nvmWriteMB",
        "MB",
        SystemStats.megabytes(blocks),
        ThyNvmTargets.writtenMegabytes(workload, system, source, plan.scale()),
        MODE,
        mode.text(),
        SYSTEM,
        system.text(),
        WORKLOAD,
        workload,
        "source",
        source);
  }

  /** Time over Ideal DRAM where the banks of all systems are hashed, Ideal DRAM's too. */
  private void addHashedBanks(Mode mode) {
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      Program program = new Program(micro.text(), 0);
      double dram = hashed(mode, SystemKind.IDEAL_DRAM, program).elapsedPs();
      for (SystemKind system : SystemKind.values()) {
        add(
            "thynvm.hashedBanks.overIdealDram",
            RATIO,
            hashed(mode, system, program).elapsedPs() / dram,
            ThyNvmTargets.executionTime(micro.text(), system),
            MODE,
            mode.text(),
            SYSTEM,
            system.text(),
            WORKLOAD,
            micro.text());
      }
    }
  }

  private CoreResult hashed(Mode mode, SystemKind system, Program program) {
    return result(mode, system, ThyNvmRuns.HASHED_BANKS, plan.setting(mode), program).orElseThrow();
  }

  /** The means over the request sizes that the paper's text prints. */
  private void addMeans(Mode mode) {
    for (Structure structure : Structure.values()) {
      addMean(mode, structure, "thynvm.kvMean.overIdealDram", THROUGHPUT, SystemKind.IDEAL_DRAM);
      addMean(mode, structure, "thynvm.kvMean.overJournal", THROUGHPUT, SystemKind.JOURNAL);
      addMean(mode, structure, "thynvm.kvMean.overShadow", THROUGHPUT, SystemKind.SHADOW);
      addMean(mode, structure, "thynvm.kvMean.writesOverShadow", WRITES, SystemKind.SHADOW);
      double written = meanRatio(mode, structure, WRITES, SystemKind.JOURNAL, SystemKind.THYNVM);
      addMean(mode, structure, "thynvm.kvMean.writesOfJournalOverThyNvm", written);
    }
  }

  private void addMean(
      Mode mode, Structure structure, String name, String metric, SystemKind under) {
    addMean(mode, structure, name, meanRatio(mode, structure, metric, SystemKind.THYNVM, under));
  }

  private void addMean(Mode mode, Structure structure, String name, double mean) {
    if (!Double.isNaN(mean)) {
      double published = ThyNvmTargets.requestMean(name, structure);
      add(name, RATIO, mean, published, MODE, mode.text(), "structure", structure.text());
    }
  }

  /** The mean over all sizes of one system's value over another's; NaN if a size was not run. */
  private double meanRatio(
      Mode mode, Structure structure, String metric, SystemKind over, SystemKind under) {
    double sum = 0;
    for (int bytes : ThyNvmRuns.REQUEST_BYTES) {
      sum +=
          number(keyValue(metric, mode, structure, bytes, over))
              / number(keyValue(metric, mode, structure, bytes, under));
    }
    return sum / ThyNvmRuns.REQUEST_BYTES.size();
  }

  /** A mean over the request sizes. */
  Optional<StudyValue> mean(String name, Mode mode, Structure structure) {
    return find(name, MODE, mode.text(), "structure", structure.text());
  }

  private void addKeyValue(Mode mode) {
    for (Structure structure : Structure.values()) {
      for (int size = 0; size < ThyNvmRuns.REQUEST_BYTES.size(); size++) {
        int bytes = ThyNvmRuns.REQUEST_BYTES.get(size);
        Program program = new Program(structure.text(), bytes);
        if (result(mode, SystemKind.IDEAL_DRAM, "", plan.setting(mode), program).isEmpty()) {
          continue;
        }
        double dram = throughput(plain(mode, SystemKind.IDEAL_DRAM, program));
        for (SystemKind system : SystemKind.values()) {
          CoreResult run = plain(mode, system, program);
          Object[] where = {
            MODE,
            mode.text(),
            SYSTEM,
            system.text(),
            "structure",
            structure.text(),
            "requestBytes",
            bytes
          };
          double published =
              structure == Structure.HASH
                  ? ThyNvmTargets.hashOverIdealDram(size, system)
                  : Double.NaN;
          add(THROUGHPUT, "req/s", throughput(run), Double.NaN, where);
          add("thynvm.kvOverIdealDram", RATIO, throughput(run) / dram, published, where);
          add(WRITES, "MB/s", run.megabytesPerSec(), Double.NaN, where);
        }
      }
    }
  }

  private static double throughput(CoreResult run) {
    return run.perSec(run.operations());
  }

  private void addKernels(Mode mode) {
    for (Kernel kernel : Kernel.values()) {
      Program program = new Program(kernel.text(), 0);
      double dram = plain(mode, SystemKind.IDEAL_DRAM, program).elapsedPs();
      for (SystemKind system : List.of(SystemKind.IDEAL_NVM, SystemKind.THYNVM)) {
        add(
            "thynvm.ipcOverIdealDram",
            RATIO,
            dram / plain(mode, system, program).elapsedPs(),
            Double.NaN,
            MODE,
            mode.text(),
            SYSTEM,
            system.text(),
            WORKLOAD,
            kernel.text());
      }
    }
  }

  private void addSweep(Mode mode) {
    for (int entries : ThyNvmRuns.BTT_SWEEP) {
      for (int bytes : new int[] {64, 1024}) {
        ThyNvmSetting setting = plan.setting(mode).withBlockEntries(entries);
        Program program = new Program(Structure.HASH.text(), bytes);
        result(mode, SystemKind.THYNVM, "btt", setting, program)
            .ifPresent(
                run -> {
                  Object[] where = {MODE, mode.text(), "btt", entries, "requestBytes", bytes};
                  add("thynvm.bttSweep", "req/s", throughput(run), Double.NaN, where);
                  add(
                      "thynvm.bttSweep.nvmWriteMB",
                      "MB",
                      SystemStats.megabytes(run.stats().writtenDataBlocks()),
                      Double.NaN,
                      where);
                  add(
                      "thynvm.bttSweep.tableMB",
                      "MB",
                      SystemStats.megabytes(run.stats().tableBlocks()),
                      Double.NaN,
                      where);
                });
      }
    }
  }

  private void addVariants(Mode mode) {
    ThyNvmRuns.variants(plan.setting(mode))
        .forEach(
            (name, setting) -> {
              for (MicroBenchmark micro : MicroBenchmark.values()) {
                Program program = new Program(micro.text(), 0);
                result(mode, SystemKind.THYNVM, name, setting, program)
                    .ifPresent(run -> addVariant(mode, name, program, run));
              }
            });
  }

  private void addVariant(Mode mode, String name, Program program, CoreResult run) {
    Object[] where = {MODE, mode.text(), "variant", name, WORKLOAD, program.name()};
    double dram = plain(mode, SystemKind.IDEAL_DRAM, program).elapsedPs();
    add("thynvm.variant.overIdealDram", RATIO, run.elapsedPs() / dram, Double.NaN, where);
    add("thynvm.variant.checkpointShare", RATIO, run.checkpointShare(), Double.NaN, where);
    add(
        "thynvm.variant.nvmWriteMB",
        "MB",
        SystemStats.megabytes(run.stats().writtenDataBlocks()),
        Double.NaN,
        where);
  }

  private void addMetadata(Mode mode) {
    add(
        "thynvm.metadataBytes",
        "B",
        (double) plan.setting(mode).tableBytes(),
        37 << 10,
        MODE,
        mode.text());
  }
}
