package io.howdah.cli.sim;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.Setting;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.WorkloadProvider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code sim loc} that choose a machine, a load or a recorded trace. */
final class LocMachine {
  private static final int DEFAULT_LATENCY_NS = 168;
  private static final int MAX_OPERATIONS = 4096;
  private static final int MAX_FOOTPRINT = 256;
  private static final int MAX_DEGREE = 32;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = {
        "Run this recorded trace instead of the workloads: binary, or the text of the published",
        "tracer. Its operations are the transactions; outside operations, what lies between two",
        "persist barriers of a thread."
      })
  @Nullable Path trace;

  @Option(
      names = "--workload-path",
      paramLabel = "PATH",
      description = {
        "Jar or folder with workloads of your own, named in",
        "META-INF/services/io.howdah.nvmsim.workload.WorkloadProvider: runs them."
      })
  @Nullable Path workloadPath;

  @Option(
      names = "--banks",
      paramLabel = "N",
      description = "Banks of the memory, a power of two, 1 to 1024.")
  private @Nullable Integer banks;

  @Option(
      names = "--latency",
      paramLabel = "NS",
      description = "Latency of every memory access, 1 to 1000000 ns.")
  private @Nullable Integer latencyNs;

  @Option(
      names = "--operations",
      paramLabel = "N",
      description = "Operations per transaction, 1 to 4096.")
  private @Nullable Integer operations;

  @Option(
      names = "--footprint",
      paramLabel = "N",
      description = "Data of the workloads, times 768 KB, 1 to 256.")
  private @Nullable Integer footprint;

  @Option(
      names = "--degree",
      paramLabel = "N",
      description = "Transactions per speculation window, 1 to 32.")
  private @Nullable Integer degree;

  @Option(
      names = "--caches",
      paramLabel = "PERCENT",
      description = "Size of the caches: 25, 50, 100, 200, 400, 800 or 1600 percent.")
  private @Nullable Integer caches;

  /** Creates it, for the command line. */
  LocMachine() {}

  /** Whether the user chose anything: then there is no comparison with the paper. */
  boolean isChosen() {
    return trace != null
        || workloadPath != null
        || banks != null
        || latencyNs != null
        || operations != null
        || footprint != null
        || degree != null
        || caches != null;
  }

  /** Refuses what cannot be run, before anything runs. */
  void check(boolean workloadsNamed) {
    check("--operations", operations(), MAX_OPERATIONS);
    check("--footprint", footprint(), MAX_FOOTPRINT);
    check("--degree", or(degree, Protocol.DEFAULT_DEGREE), MAX_DEGREE);
    for (Protocol protocol : Protocol.values()) {
      setting(protocol);
    }
    if (trace != null) {
      if (workloadsNamed || footprint != null || workloadPath != null) {
        throw new IllegalArgumentException(
            "--trace runs what was recorded: leave out --workload, --workload-path and"
                + " --footprint");
      }
      if (!Files.isRegularFile(trace)) {
        throw new IllegalArgumentException("--trace is no file: " + trace);
      }
    }
  }

  /** The workloads of the workload path. */
  List<WorkloadProvider> ownWorkloads() throws IOException {
    if (workloadPath == null) {
      return List.of();
    }
    if (!Files.exists(workloadPath)) {
      throw new IllegalArgumentException("--workload-path does not exist: " + workloadPath);
    }
    List<WorkloadProvider> own = new ArrayList<>();
    ClassLoader loader =
        new URLClassLoader(
            new URL[] {workloadPath.toUri().toURL()}, LocMachine.class.getClassLoader());
    ServiceLoader.load(WorkloadProvider.class, loader).forEach(own::add);
    if (own.isEmpty()) {
      throw new IllegalArgumentException("--workload-path names no workload: " + workloadPath);
    }
    return own;
  }

  private static void check(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(option + " must be 1 to " + most + ": " + value);
    }
  }

  private static int or(@Nullable Integer chosen, int usual) {
    return chosen == null ? usual : chosen;
  }

  int operations() {
    return or(operations, LocVariant.OPERATIONS);
  }

  int footprint() {
    return or(footprint, 1);
  }

  Setting setting(Protocol protocol) {
    int window = protocol.speculative() ? or(degree, Protocol.DEFAULT_DEGREE) : 1;
    return Setting.paper(protocol, window)
        .withMemory(
            DeviceTiming.fixed(
                or(latencyNs, DEFAULT_LATENCY_NS), or(banks, DeviceTiming.LOC_BANKS)))
        .withCachePercent(or(caches, 100));
  }

  Map<String, Object> params() {
    Setting setting = setting(Protocol.LOC_WAL);
    Map<String, Object> params = new TreeMap<>();
    params.put("banks", setting.memory().banks());
    params.put("latencyNanos", setting.memory().readNs());
    params.put("cachePercent", setting.cachePercent());
    params.put("operations", operations());
    params.put("footprintScale", footprint());
    return params;
  }

  String describe() {
    Setting setting = setting(Protocol.LOC_WAL);
    return String.format(
        Locale.ROOT,
        "%d banks of %d ns, caches at %d %%, %d operations per transaction, windows of %d%s",
        setting.memory().banks(),
        setting.memory().readNs(),
        setting.cachePercent(),
        operations(),
        setting.degree(),
        trace == null ? ", data of " + 768 * footprint() + " KB" : ", trace " + trace);
  }
}
