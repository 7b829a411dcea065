package io.howdah.lab.sim;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Runs {@code howdah sim ...} and keeps what it prints. */
final class SimRunner {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Returns the exit code. */
  int run(String... arguments) {
    return new CommandLine(new SimCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }

  /** The value of the first metric by this name. */
  static double metric(String json, String name) {
    Matcher found =
        Pattern.compile("\"name\" : \"" + Pattern.quote(name) + "\",\\s*\"value\" : ([^,]*),")
            .matcher(json);
    if (!found.find()) {
      throw new AssertionError("no metric " + name + " in " + json);
    }
    return Double.parseDouble(found.group(1));
  }
}
