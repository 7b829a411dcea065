package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.cli.serve.ServeCommand;
import io.howdah.jmh.process.Redis;
import io.howdah.jmh.process.ServerProcess;
import io.howdah.server.net.Server;
import io.howdah.server.net.ServerOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

final class YcsbCommandTest {

  @TempDir Path folder;

  /** The program of the servers that the command starts. */
  @Command
  static final class Servers {

    /** Serves. */
    public static void main(String[] args) {
      System.exit(new CommandLine(new Servers()).addSubcommand(new ServeCommand()).execute(args));
    }
  }

  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("ycsb", "--quick", "--no-spinners", "--rounds=1"));
    all.add("--round-millis=20");
    // The servers live for a second or two: to optimise their code would not pay.
    all.addAll(List.of("--server-jvm=-XX:TieredStopAtLevel=1", "--server-jvm=-XX:+UseSerialGC"));
    all.addAll(List.of(arguments));
    return new CommandLine(new Servers())
        .addSubcommand(new YcsbCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  @Test
  void everyFigureIsThere() throws Exception {
    everyFigureOf("async");
  }

  @Tag("campaign")
  @Test
  void everyFigureOfTwoModesIsThere() throws Exception {
    everyFigureOf("none,async");
  }

  private void everyFigureOf(String durabilities) throws Exception {
    Path figures = folder.resolve("ycsb.json");
    int code =
        run(
            "--value-bytes=100",
            "--durabilities=" + durabilities,
            "--dir=" + folder.resolve("stores"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    for (String mix : List.of("A", "B", "C", "D", "F")) {
      assertThat(FiguresOf.smallest(figures))
          .as(mix)
          .hasEntrySatisfying("ycsb." + mix + ".opsPerSec", rate -> assertThat(rate).isPositive())
          .hasEntrySatisfying(
              "ycsb." + mix + ".serverCpuMicrosPerOp", cpu -> assertThat(cpu).isNotNegative())
          .hasEntrySatisfying(
              "ycsb." + mix + ".hitRatio", ratio -> assertThat(ratio).isEqualTo(1.0));
    }
    assertThat(FiguresOf.smallest(figures))
        .hasEntrySatisfying(
            "ycsb.restart.firstHitMillis", millis -> assertThat(millis).isPositive())
        .hasEntrySatisfying(
            "ycsb.restart.startToFirstHitMillis", millis -> assertThat(millis).isPositive());
    assertThat(Files.readString(figures)).contains("\"stop\" : \"kill\"", "\"stop\" : \"clean\"");
  }

  @Test
  void anotherServerIsMeasuredWhereItIs() throws Exception {
    Path figures = folder.resolve("other.json");
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Server server =
        new Server(
            folder.resolve("other"), ServerOptions.defaults().withAddresses(List.of(address)))) {
      int code =
          run(
              "--server=127.0.0.1:" + server.address().getPort(),
              "--value-bytes=100",
              "--json=" + figures,
              "--dir=" + folder.resolve("unused"));
      assertThat(code).as("%s", err).isZero();
    }
    assertThat(FiguresOf.smallest(figures))
        .hasEntrySatisfying("ycsb.A.opsPerSec", rate -> assertThat(rate).isPositive())
        .hasEntrySatisfying("ycsb.F.hitRatio", ratio -> assertThat(ratio).isEqualTo(1.0));
  }

  @Tag("campaign")
  @Test
  void latenciesAtHalfLoadAreThereWhileCheckpointsRun() throws Exception {
    Path figures = folder.resolve("tail.json");
    int code =
        run(
            "--tail",
            "--workloads=B",
            "--depths=2",
            "--value-bytes=100",
            "--durabilities=async",
            "--dir=" + folder.resolve("tail"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    assertThat(FiguresOf.largest(figures))
        .hasEntrySatisfying("ycsb.B.halfLoad.p999Micros", time -> assertThat(time).isPositive())
        .hasEntrySatisfying("ycsb.B.halfLoad.checkpoints", count -> assertThat(count).isPositive())
        .doesNotContainKey("ycsb.B.opsPerSec");
  }

  @Tag("campaign")
  @Test
  void memoryOfConnectionsAndItemsIsThere() throws Exception {
    Path figures = folder.resolve("memory.json");
    int code =
        run(
            "--memory",
            "--idle-connections=20",
            "--value-bytes=100",
            "--durabilities=async",
            "--dir=" + folder.resolve("memory"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    assertThat(FiguresOf.largest(figures))
        .containsKeys("ycsb.memory.idleConnectionsMib", "ycsb.memory.residentMib")
        .hasEntrySatisfying(
            "ycsb.memory.bytesPerItem", bytes -> assertThat(bytes).isGreaterThan(120));
  }

  @Tag("campaign")
  @Test
  void figure1IsDrawn() throws Exception {
    Path figures = folder.resolve("figure1.json");
    Path charts = folder.resolve("charts");
    int code =
        run(
            "--figure1=" + charts,
            "--figure1-threads=1,2",
            "--value-bytes=100",
            "--durabilities=async",
            "--dir=" + folder.resolve("figure1"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    assertThat(FiguresOf.smallest(figures))
        .hasEntrySatisfying("ycsb.figure1.F.opsPerSec", rate -> assertThat(rate).isPositive());
    assertThat(Files.readString(charts.resolve("figure1.csv")))
        .contains("workload,serverThreads,server", "A,1,howdah async,", "F,2,howdah async,");
    assertThat(Files.readString(charts.resolve("figure1-A.svg"))).contains("howdah async");
    assertThat(charts.resolve("figure1-C.png")).isNotEmptyFile();
  }

  @Tag("campaign")
  @Test
  void aServerThatKeptItsItemsIsWarmAtOnce() throws Exception {
    Path figures = folder.resolve("warm.json");
    Path charts = folder.resolve("charts");
    int code =
        run(
            "--warmup=" + charts,
            "--warmup-seconds=2",
            "--value-bytes=100",
            "--durabilities=async",
            "--dir=" + folder.resolve("warm"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    assertThat(FiguresOf.largest(figures))
        .hasEntrySatisfying("ycsb.warmUp.endHitRatio", ratio -> assertThat(ratio).isEqualTo(1.0))
        .hasEntrySatisfying("ycsb.warmUp.warmSeconds", time -> assertThat(time).isPositive());
    assertThat(Files.readString(charts.resolve("warm-up.csv"))).contains("howdah async,");
    assertThat(charts.resolve("warm-up-hits.png")).isNotEmptyFile();
    assertThat(charts.resolve("warm-up-rate.svg")).isNotEmptyFile();
  }

  @Tag("campaign")
  @Test
  void restartsOfAllServersAreCompared() throws Exception {
    Path figures = folder.resolve("compare.json");
    int code =
        run(
            "--compare",
            "--restart-items=200",
            "--dir=" + folder.resolve("compare"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    assertThat(FiguresOf.largest(figures))
        .containsKeys("ycsb.restart.startToFirstHitMillis", "ycsb.restart.stopMillis")
        .doesNotContainKey("ycsb.restart.firstHitMillis");
    assertThat(Files.readString(figures)).contains("\"durability\" : \"sync\"");
    if (Redis.find().isPresent()) {
      assertThat(Files.readString(figures))
          .contains("\"server\" : \"redis\"", "\"durability\" : \"everysec\"");
    }
  }

  @Test
  void ycsbsOwnClientRunsAFileOfProperties() throws Exception {
    Path figures = folder.resolve("client.json");
    Path file =
        Files.writeString(
            folder.resolve("workload"),
            """
            workload=site.ycsb.workloads.CoreWorkload
            recordcount=100
            operationcount=200
            readproportion=0.4
            updateproportion=0.4
            insertproportion=0.1
            readmodifywriteproportion=0.1
            """);
    int code =
        run(
            "--workload=" + file,
            "--property=fieldcount=3",
            "--threads=2",
            "--connections=2",
            "--dir=" + folder.resolve("client"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    assertThat(FiguresOf.smallest(figures))
        .containsEntry("ycsb.client.load.insert.Operations", 100.0)
        .hasEntrySatisfying(
            "ycsb.client.run.overall.Throughput", rate -> assertThat(rate).isPositive())
        .containsKeys("ycsb.client.run.read.AverageLatency", "ycsb.client.run.update.Operations");
    assertThat(Files.readString(figures)).doesNotContain("ERROR", "NOT_FOUND");
    assertThat(run("--workload=" + folder.resolve("absent"), "--dir=" + folder.resolve("x")))
        .isEqualTo(2);
  }

  @Test
  void aPlaceWhereNoServerListensIsNamed() throws Exception {
    int port = ServerProcess.freePort();
    assertThat(run("--server=127.0.0.1:" + port, "--dir=" + folder.resolve("unused"))).isOne();
    assertThat(err.toString()).contains("no server answers at 127.0.0.1:" + port, "start one");
    assertThat(run("--server=nowhere", "--dir=" + folder.resolve("unused"))).isEqualTo(2);
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThat(run("--restart-items=-1", "--dir=" + folder.resolve("r"))).isEqualTo(2);
    assertThat(run("--depths=0", "--dir=" + folder.resolve("a"))).isEqualTo(2);
    assertThat(run("--value-bytes=15", "--dir=" + folder.resolve("b"))).isEqualTo(2);
    assertThat(run("--records=0", "--dir=" + folder.resolve("c"))).isEqualTo(2);
    assertThat(run("--tail", "--idle-connections=0", "--dir=" + folder.resolve("f"))).isEqualTo(2);
    assertThat(run("--warmup=" + folder, "--database-rate=0", "--dir=" + folder.resolve("g")))
        .isEqualTo(2);
    assertThat(run("--figure1=" + folder, "--figure1-threads=0", "--dir=" + folder.resolve("h")))
        .isEqualTo(2);
    assertThat(run("--workloads=E", "--dir=" + folder.resolve("d"))).isEqualTo(2);
    assertThat(run("--threads=4", "--connections=3", "--dir=" + folder.resolve("e"))).isEqualTo(2);
  }
}
