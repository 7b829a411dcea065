package io.howdah.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A user's own traces and machines: in, through both halves of the simulator, and out. */
final class OwnTraceTest {
  private final SimRunner runner = new SimRunner();

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"queue.txt", "queue.trace"})
  void anExportedQueueRunsInBothHalves(String name) throws IOException {
    String file = folder.resolve(name).toString();
    assertThat(runner.run("persistency", "--threads=1", "--inserts=400", "--export=" + file))
        .as(runner.err())
        .isZero();
    Path json = folder.resolve("p.json");
    assertThat(runner.run("persistency", "--trace=" + file, "--json", json.toString()))
        .as(runner.err())
        .isZero();
    assertThat(runner.out()).contains("strict", "epoch").contains("14.0");
    assertThat(Files.readString(json)).contains("persistency.trace.criticalPath");
    assertThat(
            runner.run(
                "loc",
                "--trace=" + file,
                "--banks=16",
                "--latency=95",
                "--operations=2",
                "--degree=8",
                "--caches=50",
                "--out=" + folder))
        .as(runner.err())
        .isZero();
    assertThat(runner.out()).contains("16 banks of 95 ns", "LOC-Kiln");
    assertThat(runner.run("thynvm", "--trace=" + file, "--epoch-ms=0.5")).as(runner.err()).isZero();
    assertThat(runner.out()).contains("Journal", "Shadow", "ThyNVM");
    assertThat(folder.resolve("loc-trial.csv")).content().contains("trace,LOC-WAL,8,16,95,50,");
  }

  @Test
  void aTraceThatCannotBeReadIsTheCallersMistake() {
    assertThat(runner.run("thynvm", "--trace=" + folder.resolve("missing"))).isEqualTo(2);
    assertThat(runner.err()).contains("missing");
  }

  @Test
  void aMachineOfOnesOwnRunsTheWorkloads() {
    assertThat(
            runner.run(
                "loc", "--quick", "--workload=sps", "--banks=8", "--degree=4", "--footprint=2"))
        .as(runner.err())
        .isZero();
    assertThat(runner.out())
        .contains("8 banks of 168 ns", "1 operation per transaction")
        .contains("data of 1536 KB");
  }

  /** The example in {@code examples/workload} compiles and runs as its README says. */
  @Test
  void aWorkloadOfOnesOwnRuns() throws IOException {
    install(
        "../examples/workload/RingOfCounters.java",
        "io.howdah.nvmsim.workload.WorkloadProvider",
        "RingOfCounters");
    assertThat(runner.run("loc", "--quick", "--workload-path=" + folder)).as(runner.err()).isZero();
    assertThat(runner.out()).contains("counters").doesNotContain("btree");
    assertThat(runner.run("thynvm", "--epoch-ms=0.5", "--workload-path=" + folder))
        .as(runner.err())
        .isZero();
    assertThat(runner.out()).contains("counters: time over Ideal DRAM", "ThyNVM");
  }

  /** The example in {@code examples/protocol} compiles and runs as its README says. */
  @Test
  void aProtocolOfOnesOwnRunsBesideThePapers() throws IOException {
    install(
        "../examples/protocol/UndoLog.java", "io.howdah.nvmsim.loc.ProtocolProvider", "UndoLog");
    Path json = folder.resolve("own.json");
    assertThat(
            runner.run(
                "loc",
                "--quick",
                "--workload=sps",
                "--protocol-path=" + folder,
                "--json",
                json.toString()))
        .as(runner.err())
        .isZero();
    assertThat(runner.out()).contains("LOC-WAL", "undo");
    assertThat(Files.readString(json)).contains("\"protocol\" : \"undo\"");
  }

  private void install(String source, String service, String provider) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    assertThat(
            compiler.run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source))
        .isZero();
    Files.writeString(services.resolve(service), provider);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--workload-path=/nowhere",
        "--protocol-path=/nowhere",
        "--banks=3",
        "--banks=0",
        "--latency=0",
        "--operations=0",
        "--operations=5000",
        "--footprint=0",
        "--degree=33",
        "--caches=60",
        "--trace=/nowhere/at/all"
      })
  void aMachineThatCannotBeIsRefusedInOneLine(String argument) {
    assertThat(runner.run("loc", "--quick", argument)).isEqualTo(2);
    assertThat(runner.out()).isEmpty();
    assertThat(runner.err().lines().findFirst().orElseThrow()).doesNotContain("Exception");
  }

  /** The log's TxCnt has 12 bits. */
  @Test
  void aTransactionBeyondTheLogsFormatIsRefusedInOneLine() throws IOException {
    Path file = folder.resolve("large.txt");
    StringBuilder lines = new StringBuilder();
    lines.append("1\tfc\tatomic_trace::special_malloc\t0\t1048576\t0\t0\n");
    lines.append("1\tfr\tatomic_trace::special_malloc\t0\t1048576\n");
    for (int line = 0; line < 4200; line++) {
      lines.append("1\tm\tw\t").append(1_048_576 + 64 * line).append("\t8\n");
    }
    lines.append("1\tfc\thowdah::persist_barrier\t0\t0\t0\t0\n");
    Files.writeString(file, lines);
    assertThat(runner.run("loc", "--trace=" + file)).isEqualTo(2);
    assertThat(runner.out()).isEmpty();
    assertThat(runner.err())
        .startsWith("transaction 1 changes 4200 lines of 64 bytes; the log counts up to 4095")
        .doesNotContain("\tat ");
  }

  @Test
  void aBadTraceIsRefusedWithItsPlace() throws IOException {
    Path bad = folder.resolve("bad.txt");
    Files.writeString(bad, "0\ttr\n0\tnonsense\n");
    for (String command : new String[] {"loc", "persistency"}) {
      SimRunner fresh = new SimRunner();
      assertThat(fresh.run(command, "--trace=" + bad)).isEqualTo(2);
      assertThat(fresh.err()).contains("unknown operation 'nonsense'").contains("line=2");
    }
    Path empty = folder.resolve("empty.txt");
    Files.writeString(empty, "0\ttr\n");
    assertThat(runner.run("loc", "--trace=" + empty)).isEqualTo(2);
    assertThat(runner.err()).contains("stores nothing to persistent memory");
  }
}
