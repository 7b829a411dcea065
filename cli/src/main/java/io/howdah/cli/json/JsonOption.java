package io.howdah.cli.json;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The option {@code --json FILE}, for every command that measures: {@code @Mixin JsonOption json}.
 */
public final class JsonOption {

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the figures to FILE, as one JSON object.")
  private @Nullable Path file;

  /** Creates it, for the command line. */
  public JsonOption() {}

  /** Writes the finished run if the option was given. */
  public void write(MetricsRun run) throws IOException {
    if (file != null) {
      run.finish().writeTo(file);
    }
  }
}
