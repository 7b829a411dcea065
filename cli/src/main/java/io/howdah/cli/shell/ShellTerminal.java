package io.howdah.cli.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** The shell for a person: history, completion and editing of lines. */
final class ShellTerminal {

  private static final String PROMPT = "howdah> ";

  private ShellTerminal() {}

  /** Runs lines until exit or the end of the input. */
  static void run(ShellLines lines) throws IOException {
    // The program stty sets up the terminal: no native library, so the JVM has nothing to warn of.
    try (Terminal terminal =
        TerminalBuilder.builder()
            .provider("exec")
            .encoding(StandardCharsets.UTF_8)
            .dumb(true)
            .build()) {
      run(lines, terminal, history());
    }
  }

  static void run(ShellLines lines, Terminal terminal, Path history) {
    LineReader reader =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .appName("howdah")
            .parser(new DefaultParser().escapeChars(null))
            .completer((_, line, candidates) -> complete(lines, line, candidates))
            .variable(LineReader.HISTORY_FILE, history)
            .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
            .build();
    while (true) {
      try {
        String line = reader.readLine(PROMPT);
        if (ShellLines.isExit(line)) {
          return;
        }
        lines.run(line);
      } catch (UserInterruptException _) {
        // control-C gives up the line, not the shell
      } catch (EndOfFileException _) {
        return;
      }
    }
  }

  private static void complete(ShellLines lines, ParsedLine line, List<Candidate> candidates) {
    Collection<String> names =
        switch (line.wordIndex()) {
          case 0 -> lines.commandNames();
          case 1 ->
              line.words().getFirst().equals("help")
                  ? lines.commandNames()
                  : lines.structureNames();
          default -> List.of();
        };
    names.forEach(
        name ->
            candidates.add(new Candidate(Words.quoted(name), name, null, null, null, null, true)));
  }

  /** Returns where the lines of former shells are kept, as the XDG Base Directory says. */
  private static Path history() throws IOException {
    String state = System.getenv("XDG_STATE_HOME");
    Path folder =
        (state == null || state.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local", "state")
                : Path.of(state))
            .resolve("howdah");
    Files.createDirectories(folder);
    return folder.resolve("history");
  }
}
