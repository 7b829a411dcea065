package io.howdah.cli.json;

import io.howdah.cli.value.JsonTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * The option {@code --json FILE} of commands whose result is no measurement: one JSON object, on
 * the standard output instead of the text for people if the file is {@code -}.
 */
public final class JsonResultOption {

  private static final String STANDARD_OUTPUT = "-";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description =
          "Write the result to FILE as one JSON object; - for the standard output, in place of the"
              + " text.")
  private @Nullable Path file;

  /** Creates it, for the command line. */
  public JsonResultOption() {}

  /** Returns whether the text for people is to be written. */
  public boolean isTextWanted() {
    return file == null || !file.toString().equals(STANDARD_OUTPUT);
  }

  /** Writes a result if the option was given. */
  public void write(CommandLine command, Object tree) throws IOException {
    if (file == null) {
      return;
    }
    String text = JsonTree.of(tree) + '\n';
    if (isTextWanted()) {
      Files.writeString(file, text);
    } else {
      command.getOut().print(text);
      command.getOut().flush();
    }
  }
}
