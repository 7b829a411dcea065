package io.howdah.cli.json;

import io.howdah.cli.value.JsonTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

/**
 * The option {@code --json FILE} of every command that shows something: {@code @Mixin JsonOption
 * json}. A command that measures writes its {@link MetricsRun}, any other one an object of its own.
 *
 * <p>With {@code -} for the file, the standard output has that object and nothing else: {@link
 * #execute} sends what the command writes for people to the standard error. A command whose text
 * says the same as the object leaves the text out then: {@link #isTextWanted}.
 */
public final class JsonOption {

  private static final String STANDARD_OUTPUT = "-";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description =
          "Write the result to FILE as one JSON object; - for the standard output, which then has"
              + " nothing else.")
  private @Nullable Path file;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** The standard output while a command runs whose text goes elsewhere. */
  private @Nullable PrintWriter kept;

  /** Creates it, for the command line. */
  public JsonOption() {}

  /** Runs the command that was parsed; the strategy of the whole command line. */
  public static int execute(ParseResult parsed) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    CommandLine command = last.commandSpec().commandLine();
    JsonOption json = of(last.commandSpec());
    if (json != null && !last.isUsageHelpRequested() && !last.isVersionHelpRequested()) {
      json.requireWritable(command);
    }
    if (json == null || json.isTextWanted()) {
      return new RunLast().execute(parsed);
    }
    PrintWriter out = command.getOut();
    json.kept = out;
    command.setOut(command.getErr());
    try {
      return new RunLast().execute(parsed);
    } finally {
      command.setOut(out);
      json.kept = null;
    }
  }

  /**
   * Ends the command with exit code 2, before it has done anything, if the file is none to write.
   */
  private void requireWritable(CommandLine asked) {
    Path file = this.file;
    String problem = file == null || !isTextWanted() ? null : JsonFile.problem(file);
    if (problem != null) {
      throw new CommandLine.ParameterException(asked, "--json " + file + ": " + problem);
    }
  }

  /** Returns the option of a command, or null if it has none. */
  public static @Nullable JsonOption of(CommandSpec command) {
    for (CommandSpec mixin : command.mixins().values()) {
      if (mixin.userObject() instanceof JsonOption json) {
        return json;
      }
    }
    return null;
  }

  /** Returns whether text that says the same as the object is to be written. */
  public boolean isTextWanted() {
    return file == null || !file.toString().equals(STANDARD_OUTPUT);
  }

  /** Writes the finished run if the option was given. */
  public void write(MetricsRun run) throws IOException {
    if (file != null) {
      writeText(run.finish().text());
    }
  }

  /** Writes a result if the option was given: maps, lists, numbers, booleans and strings. */
  public void write(Object tree) throws IOException {
    if (file != null) {
      writeText(JsonTree.of(tree) + '\n');
    }
  }

  private void writeText(String text) throws IOException {
    if (file == null) {
      return;
    }
    if (isTextWanted()) {
      JsonFile.replace(file, text);
      return;
    }
    PrintWriter out = kept != null ? kept : command.commandLine().getOut();
    out.print(text);
    out.flush();
  }
}
