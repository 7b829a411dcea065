package io.howdah.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.cli.serve.ServeCommand;
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
    all.addAll(List.of(arguments));
    return new CommandLine(new Servers())
        .addSubcommand(new YcsbCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  @Test
  void everyFigureIsThere() throws Exception {
    Path figures = folder.resolve("ycsb.json");
    int code = run("--value-bytes=100", "--dir=" + folder.resolve("stores"), "--json=" + figures);
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
    assertThat(run("--workloads=E", "--dir=" + folder.resolve("d"))).isEqualTo(2);
    assertThat(run("--threads=4", "--connections=3", "--dir=" + folder.resolve("e"))).isEqualTo(2);
  }
}
