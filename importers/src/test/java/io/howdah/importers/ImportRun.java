package io.howdah.importers;

import io.howdah.cli.store.ImportCommand;
import io.howdah.core.HowdahException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/**
 * One run of {@code howdah import}.
 *
 * @param exit its exit code
 * @param out what it has written
 */
record ImportRun(int exit, String out) {

  static ImportRun of(Object... arguments) {
    StringWriter written = new StringWriter();
    List<Exception> unexpected = new ArrayList<>();
    int exit =
        new CommandLine(new ImportCommand())
            .setOut(new PrintWriter(written))
            .setErr(new PrintWriter(written))
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  if (!(failure instanceof HowdahException)) {
                    unexpected.add(failure);
                  }
                  line.getErr().println(failure.getMessage());
                  return 1;
                })
            .execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    if (!unexpected.isEmpty()) {
      throw new AssertionError("a failure that does not explain itself", unexpected.getFirst());
    }
    return new ImportRun(exit, written.toString());
  }

  /** Runs it in a process of its own. */
  static final class Main {

    private Main() {}

    /** Ends with the exit code of the command. */
    public static void main(String[] arguments) {
      ImportRun run = of((Object[]) arguments);
      System.out.println(run.out);
      System.exit(run.exit);
    }
  }
}
