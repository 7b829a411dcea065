package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.fuzz.FuzzTarget;
import io.howdah.lab.fuzz.FuzzEntry;
import io.howdah.lab.fuzz.FuzzTargets;
import io.howdah.lab.run.SourcesOption;
import io.howdah.process.AtExit;
import io.howdah.process.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah test fuzz}: bytes that nobody vouches for. */
@Command(
    name = "fuzz",
    mixinStandardHelpOptions = true,
    description =
        "Feeds parsers and openings with bytes that Jazzer makes, led by the branches they reach."
            + " An unexpected exception, a wrong answer, an input that takes more than 10 seconds,"
            + " or too much memory is a finding. Inputs that reach something new are kept in"
            + " .howdah/fuzz/TARGET, and a later run begins with them.")
public final class FuzzCommand implements Callable<Integer> {

  private static final Pattern RUNS =
      Pattern.compile("(?:^#|stat::number_of_executed_units: )(\\d+)");
  private static final int HEAP_MIB = 512;
  private static final int MAX_INPUT_BYTES = 4096;
  private static final int MAX_PROBLEMS = 20;

  @Parameters(
      paramLabel = "TARGET",
      arity = "0..1",
      description = "What to feed; --list names all.")
  private @Nullable String name;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "How long; default: ${DEFAULT-VALUE}.")
  private long seconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of the fuzzer; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = "Only this input, as a finding names it.")
  private @Nullable Path input;

  @Option(names = "--list", description = "Only name the targets.")
  private boolean list;

  @Mixin private SourcesOption sources = new SourcesOption();

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public FuzzCommand() {}

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    String chosen = name;
    if (list || chosen == null) {
      for (String each : FuzzTargets.names()) {
        out.printf("%-12s %s%n", each, FuzzTargets.named(each).what());
      }
      out.flush();
      return list ? 0 : 2;
    }
    if (seconds < 1) {
      throw new ParameterException(spec.commandLine(), "--seconds must be above 0: " + seconds);
    }
    FuzzTarget target;
    try {
      target = FuzzTargets.named(chosen);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    if (input != null) {
      target.run(Files.readAllBytes(input));
      out.println(input + ": no promise broken");
      out.flush();
      return 0;
    }
    return fuzz(target, out);
  }

  private int fuzz(FuzzTarget target, PrintWriter out) throws IOException, InterruptedException {
    MetricsRun run =
        MetricsRun.start("test fuzz").param("target", target.name()).param("seed", seed);
    Path folder = sources.folder().resolve(".howdah/fuzz").toAbsolutePath();
    Path corpus = folder.resolve(target.name());
    Files.createDirectories(corpus);
    List<byte[]> seeds = target.seeds();
    for (int i = 0; i < seeds.size(); i++) {
      Files.write(corpus.resolve("seed-" + i), seeds.get(i));
    }
    Process process = start(target, folder, corpus);
    AutoCloseable end = AtExit.close(() -> process.destroyForcibly().waitFor());
    long inputs = 0;
    List<String> problems = new ArrayList<>();
    try (BufferedReader lines = process.inputReader(StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher runs = RUNS.matcher(line);
        if (runs.find()) {
          inputs = Math.max(inputs, Long.parseLong(runs.group(1)));
        }
        boolean tells = line.contains("== ERROR") || line.contains("== Java Exception");
        if ((tells || !problems.isEmpty()) && problems.size() < MAX_PROBLEMS) {
          problems.add(line);
        }
      }
    }
    int exit = process.waitFor();
    AtExit.forget(end);
    if (exit != 0) {
      problems.addFirst("the fuzzer ended with exit code " + exit);
      run.violation(String.join("\n", problems));
      problems.forEach(out::println);
      out.println(
          "findings are in "
              + folder
              + "; howdah test fuzz "
              + target.name()
              + " --input FILE repeats one");
    }
    long kept;
    try (Stream<Path> files = Files.list(corpus)) {
      kept = files.count();
    }
    out.printf(
        "%s: %,d inputs, %,d kept, %d findings%n", target.name(), inputs, kept, run.exitCode());
    out.flush();
    Map<String, Object> params = Map.of("target", target.name());
    run.add(Metric.single("fuzz.inputs", "count", (double) inputs, params));
    run.add(Metric.single("fuzz.kept", "count", (double) kept, params));
    json.write(run);
    return run.exitCode();
  }

  private Process start(FuzzTarget target, Path folder, Path corpus)
      throws IOException, InterruptedException {
    Path jars = ToolJars.of(sources.folder(), "jazzer", "fuzz");
    List<String> flags =
        List.of(
            "-Xmx" + HEAP_MIB + "m",
            "-XX:+UseSerialGC",
            "-D" + FuzzEntry.PROPERTY + "=" + target.name());
    String classPath =
        jars.resolve("*") + System.getProperty("path.separator") + JavaCommand.ownClassPath();
    List<String> arguments = new ArrayList<>();
    arguments.add("--target_class=" + FuzzEntry.class.getName());
    arguments.add("--instrumentation_includes=io.howdah.**");
    arguments.add("-seed=" + seed);
    arguments.add("-max_total_time=" + seconds);
    arguments.add("-max_len=" + MAX_INPUT_BYTES);
    arguments.add("-timeout=10");
    arguments.add("-print_final_stats=1");
    arguments.add("-artifact_prefix=" + folder + "/" + target.name() + "-");
    arguments.add(corpus.toString());
    return new JavaCommand(flags, classPath, "com.code_intelligence.jazzer.Jazzer", arguments)
        .builder()
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .start();
  }
}
