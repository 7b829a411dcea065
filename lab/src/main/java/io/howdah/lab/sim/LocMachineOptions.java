package io.howdah.lab.sim;

import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.study.loc.LocMachine;
import io.howdah.nvmsim.workload.WorkloadProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code sim loc} that choose a machine, a load or a recorded trace. */
final class LocMachineOptions {
  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "Run this recorded trace instead of the workloads: binary, the text of the published tracer, or the output of valgrind's lackey or pmemcheck. Its operations are the transactions; outside operations, what lies between two persist barriers or fences of a thread.")
  @Nullable Path trace;

  @Option(
      names = "--workload-path",
      paramLabel = "PATH",
      description =
          "Jar or folder with workloads of your own, named in META-INF/services/io.howdah.nvmsim.workload.WorkloadProvider: runs them.")
  private @Nullable Path workloadPath;

  @Option(
      names = "--protocol-path",
      paramLabel = "PATH",
      description =
          "Jar or folder with protocols of your own, named in META-INF/services/io.howdah.nvmsim.loc.ProtocolProvider: runs them beside the paper's.")
  private @Nullable Path protocolPath;

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
  LocMachineOptions() {}

  /** Whether the user chose anything: then there is no comparison with the paper. */
  boolean isChosen() {
    return trace != null
        || workloadPath != null
        || protocolPath != null
        || banks != null
        || latencyNs != null
        || operations != null
        || footprint != null
        || degree != null
        || caches != null;
  }

  /**
   * The machine that was chosen.
   *
   * @throws IllegalArgumentException if it cannot be, or does not go with a trace
   */
  LocMachine machine(boolean workloadsNamed) {
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
    LocMachine usual = LocMachine.HEADLINE;
    return new LocMachine(
        banks == null ? usual.banks() : banks,
        latencyNs == null ? usual.latencyNs() : latencyNs,
        operations == null ? usual.operations() : operations,
        footprint == null ? usual.footprint() : footprint,
        degree == null ? usual.degree() : degree,
        caches == null ? usual.cachePercent() : caches);
  }

  /** The workloads of the workload path; none without one. */
  List<WorkloadProvider> ownWorkloads() throws IOException {
    return workloadPath == null
        ? List.of()
        : OwnClasses.services("--workload-path", workloadPath, WorkloadProvider.class);
  }

  /** The protocols of the protocol path; none without one. */
  List<ProtocolProvider> ownProtocols() throws IOException {
    return protocolPath == null
        ? List.of()
        : OwnClasses.services("--protocol-path", protocolPath, ProtocolProvider.class);
  }
}
