package io.howdah.lab.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.MetricsFile;
import io.howdah.jmh.workload.Vacation.Contention;
import io.howdah.lab.json.MetricsReader;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah bench draw}: the charts of a kept result. */
@Command(
    name = "draw",
    mixinStandardHelpOptions = true,
    description =
        "Draws the charts of a result that bench peers, scaling or vacation has written with"
            + " --json, as that command draws them with --out. Of scaling these are the charts that"
            + " compare with the paper. Of peers it writes the tables of the documents, too."
            + " Measures nothing.%n")
final class DrawCommand implements Callable<Integer> {

  @Parameters(paramLabel = "FILE", description = "The result.")
  private Path file;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "Write the charts as SVG and PNG, and tables as Markdown, into this folder.")
  private Path out;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  DrawCommand() {}

  @Override
  public Integer call() throws IOException {
    MetricsFile found = read();
    switch (found.command()) {
      case "bench peers" -> {
        PeersResult result = new PeersResult(found);
        PlotFiles.write(folder(), "peers", PeersPlot.of(result));
        Files.writeString(out.resolve("peers.md"), new PeersMarkdown(result).text());
      }
      case "bench scaling" -> ScalingPlots.writeBesideThePaper(found, folder());
      case "bench vacation" -> {
        for (Contention contention : List.of(Contention.LOW, Contention.HIGH)) {
          VacationPlot.write(found, contention, folder());
        }
      }
      default ->
          throw new ParameterException(
              spec.commandLine(),
              file
                  + " is a result of "
                  + found.command()
                  + "; this command draws those of bench"
                  + " peers, bench scaling and bench vacation");
    }
    if (json.isTextWanted()) {
      spec.commandLine().getOut().println("The charts are in " + out + ".");
    }
    json.write(Map.of("command", found.command(), "out", out.toString()));
    return 0;
  }

  private Path folder() throws IOException {
    return Files.createDirectories(out);
  }

  private MetricsFile read() {
    try {
      return MetricsReader.read(file);
    } catch (JsonProcessingException e) {
      throw noResult(e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw noResult(e.getMessage(), e);
    }
  }

  private ParameterException noResult(@Nullable String reason, IOException e) {
    return new ParameterException(
        spec.commandLine(), file + " is no result of a measurement: " + reason, e);
  }
}
