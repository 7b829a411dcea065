package io.howdah.lab.sim;

import com.sun.management.OperatingSystemMXBean;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.nvmsim.study.report.HtmlReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah sim all}: the three reproductions in one report. */
@Command(
    name = "all",
    mixinStandardHelpOptions = true,
    description = {
      "The reproductions of all three papers as one HTML report.",
      "Runs persistency, loc and thynvm and writes one HTML report with their figures and the table of discrepancies. Exit code 1 if one of them fails."
    })
public final class AllCommand implements Callable<Integer> {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private static final Map<String, String> TITLES =
      Map.of(
          "persistency", "Memory Persistency (ISCA 2014)",
          "loc", "Loose-Ordering Consistency (ICCD 2014)",
          "thynvm", "ThyNVM (MICRO 2015)");

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "Write report.html and the figures here.")
  private Path out;

  @Option(
      names = "--quick",
      description = "The quick edition of loc and thynvm; persistency without this host's rates.")
  private boolean quick;

  /** Creates it, for the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the fields before it calls
  public AllCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter print = spec.commandLine().getOut();
    OutFolder.create(spec, out);
    HtmlReport report = new HtmlReport(out);
    MetricsRun run = MetricsRun.start("sim all").param("quick", quick);
    int exit = 0;
    for (String name : List.of("persistency", "loc", "thynvm")) {
      List<String> arguments =
          new ArrayList<>(List.of(name, "--out", out.resolve(name).toString()));
      if (quick) {
        arguments.add(name.equals("persistency") ? "--native-inserts=0" : "--quick");
      }
      if (name.equals("thynvm")) {
        arguments.add("--mode=both");
      }
      long started = System.nanoTime();
      long processor = PROCESS.getProcessCpuTime();
      StringWriter text = new StringWriter();
      int one =
          new CommandLine(new SimCommand())
              .setCaseInsensitiveEnumValuesAllowed(true)
              .setOut(new PrintWriter(text, true))
              .setErr(spec.commandLine().getErr())
              .execute(arguments.toArray(new String[0]));
      exit = Math.max(exit, one);
      double elapsedSec = (System.nanoTime() - started) / 1e9;
      double processorSec = (PROCESS.getProcessCpuTime() - processor) / 1e9;
      String note =
          String.format(
              Locale.ROOT,
              "howdah sim %s: exit code %d, %.0f s of processor time",
              String.join(" ", arguments),
              one,
              processorSec);
      report.section(name, TITLES.getOrDefault(name, name), note, text.toString());
      print.printf(
          "%s: exit code %d, %.0f s, %.0f s of processor time%n",
          name, one, elapsedSec, processorSec);
      print.flush();
      Map<String, Object> paper = Map.of("paper", name);
      run.add(Metric.single("sim.elapsedSec", "s", elapsedSec, paper));
      run.add(Metric.single("sim.processorSec", "s", processorSec, paper));
      if (one != 0) {
        run.violation(name + " has ended with exit code " + one);
      }
    }
    print.println("The report is " + report.write() + ".");
    print.flush();
    json.write(run);
    return exit;
  }
}
