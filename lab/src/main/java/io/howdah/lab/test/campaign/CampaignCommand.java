package io.howdah.lab.test.campaign;

import io.howdah.cli.command.BuildIdentity;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.lab.run.SourcesOption;
import io.howdah.lab.run.TimeSpan;
import io.howdah.lab.test.campaign.CampaignState.Done;
import io.howdah.lab.test.campaign.CampaignState.Result;
import io.howdah.process.AtExit;
import io.howdah.process.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * All campaigns of {@code howdah test}, one after the other, each in a process of its own and with
 * a share of the time. One that finds something does not keep the next from running.
 */
public abstract class CampaignCommand implements Callable<Integer> {

  /** By name: the class of all commands knows this one. */
  private static final String MAIN_CLASS = "io.howdah.lab.Main";

  /** A part that takes several times what it is meant to hangs. */
  private static final int PATIENCE = 4;

  private static final long EXTRA_SECONDS = 600;
  private static final long POLL_MILLIS = 500;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = "How long all take together, roughly, as 1h, 90m or 45s.")
  private @Nullable Duration time;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of all parts; random if not given, or that of the run that is gone on with.")
  private @Nullable Long seed;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      split = ",",
      description = "Only these parts; others are left out.")
  private List<String> only = List.of();

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description =
          "Folder for what is done, the logs and the results of the parts. A run of the same time"
              + " that was ended early continues there. Default: a folder of the command's name,"
              + " beside the other work of howdah.")
  private @Nullable Path stateFolder;

  @Mixin private SourcesOption sources = new SourcesOption();

  @Option(names = "--list", description = "Only show what would run, and for how long.")
  private boolean list;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  private final String name;
  private final Duration usual;

  /**
   * For subclasses.
   *
   * @param name of the command
   * @param usual time if none is given
   */
  CampaignCommand(String name, Duration usual) {
    this.name = name;
    this.usual = usual;
  }

  @Override
  public final Integer call() throws Exception {
    Duration all = time == null ? usual : time;
    double seconds = all.toMillis() / 1e3;
    Path folder =
        stateFolder == null ? BuildIdentity.workFolder().resolveSibling(name) : stateFolder;
    Screen screen = Screen.of(spec.commandLine());
    if (list) {
      show(parts(seed == null ? 1 : seed, seconds, folder), screen);
      return 0;
    }
    Files.createDirectories(folder);
    CampaignState state =
        CampaignState.open(
            folder.resolve("state"),
            seed,
            ThreadLocalRandom.current().nextInt(1_000_000),
            seconds,
            parts(1, seconds, folder).size());
    List<CampaignPart> parts = parts(state.seed(), seconds, folder);
    MetricsRun metrics =
        MetricsRun.start("test " + name).param("seed", state.seed()).param("seconds", seconds);
    screen.line("");
    screen.line("  @|bold Howdah %s|@".formatted(name));
    screen.line(
        "  @|faint %s, seed %d, %d parts, logs and results in %s|@"
            .formatted(TimeSpan.text(all), state.seed(), parts.size(), folder));
    screen.line("");
    Table table = new Table().text("part", 16).text("result", 9).figure("took", 9).text("", 40);
    screen.plainLine(table.head());
    screen.plainLine(table.rule());
    for (CampaignPart part : parts) {
      Done done = state.done(part.name()).orElse(null);
      if (done == null) {
        done = run(part, folder, parts.indexOf(part), parts.size(), screen);
        state.done(part.name(), done);
      }
      screen.plainLine(
          table.row(
              part.name(),
              done.result().name().toLowerCase(Locale.ROOT),
              TimeSpan.text(Duration.ofSeconds(Math.round(done.seconds()))),
              done.note()));
      note(part, done, metrics);
    }
    json.write(metrics);
    return metrics.exitCode();
  }

  private List<CampaignPart> parts(long chosen, double seconds, Path folder) {
    List<CampaignPart> parts = CampaignParts.of(chosen, seconds, sources.folder(), folder);
    return parts.stream().filter(part -> only.isEmpty() || only.contains(part.name())).toList();
  }

  private static void show(List<CampaignPart> parts, Screen screen) {
    Table table = new Table().text("part", 16).figure("for", 8).text("command", 40);
    screen.plainLine(table.head());
    screen.plainLine(table.rule());
    for (CampaignPart part : parts) {
      List<String> arguments = part.arguments();
      String command =
          part.whyNot()
              .map(reason -> "skipped: " + reason)
              .orElse(
                  arguments.size() > 12
                      ? String.join(" ", arguments.subList(0, 6))
                          + " ... (%d words)".formatted(arguments.size())
                      : String.join(" ", arguments));
      screen.plainLine(
          table.row(part.name(), TimeSpan.text(Duration.ofSeconds(part.seconds())), command));
    }
  }

  private static Done run(CampaignPart part, Path folder, int number, int of, Screen screen)
      throws IOException, InterruptedException {
    if (part.whyNot().isPresent()) {
      return new Done(Result.SKIPPED, 0, part.whyNot().get());
    }
    Path result = folder.resolve(part.name() + ".json");
    Path log = folder.resolve(part.name() + ".log");
    Files.deleteIfExists(result);
    List<String> flags =
        new ArrayList<>(List.of("-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    String root = System.getProperty("howdah.root");
    if (root != null) {
      flags.add("-Dhowdah.root=" + root);
    }
    List<String> arguments = new ArrayList<>(part.arguments());
    arguments.addAll(List.of("--json", result.toString()));
    long started = System.nanoTime();
    Process process =
        new JavaCommand(flags, JavaCommand.ownClassPath(), MAIN_CLASS, arguments)
            .builder()
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    process.getOutputStream().close();
    AutoCloseable end = AtExit.close(process::destroy);
    long limit = TimeUnit.SECONDS.toNanos(PATIENCE * part.seconds() + EXTRA_SECONDS);
    while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      double took = (System.nanoTime() - started) / 1e9;
      screen.status(
          "part %d of %d: %s, %.0f of %d s"
              .formatted(number + 1, of, part.name(), took, part.seconds()),
          took / part.seconds());
      if (System.nanoTime() - started > limit) {
        process.destroyForcibly().waitFor();
        AtExit.forget(end);
        return new Done(Result.FAILED, took, "did not end; its log is " + log);
      }
    }
    AtExit.blockIfEnding(); // a part that was ended from outside is not done
    AtExit.forget(end);
    return judge(process.exitValue(), (System.nanoTime() - started) / 1e9, result, log);
  }

  private static Done judge(int exit, double seconds, Path result, Path log) throws IOException {
    String written = Files.exists(result) ? Files.readString(result) : "";
    if (exit == 0) {
      return written.contains("\"skipped\" :")
          ? new Done(Result.SKIPPED, seconds, "see " + log)
          : new Done(Result.PASSED, seconds, "");
    }
    // Without a result the command could not do its work: that is no finding.
    return written.isEmpty()
        ? new Done(Result.FAILED, seconds, "exit code " + exit + ", see " + log)
        : new Done(Result.VIOLATION, seconds, "see " + log);
  }

  private static void note(CampaignPart part, Done done, MetricsRun metrics) {
    Map<String, Object> params =
        Map.of("part", part.name(), "result", done.result().name().toLowerCase(Locale.ROOT));
    metrics.add(Metric.single("campaign.seconds", "s", done.seconds(), params));
    if (done.result() == Result.VIOLATION || done.result() == Result.FAILED) {
      metrics.violation(
          part.name() + ": " + done.result().name().toLowerCase(Locale.ROOT) + ", " + done.note());
    }
  }
}
