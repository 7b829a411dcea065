package io.howdah.cli.command;

import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah completion}. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = {
      "Prints a script with which a shell completes commands and options of howdah.",
      "  source <(howdah completion bash)",
      "  source <(howdah completion zsh)"
    })
public final class CompletionCommand implements Callable<Integer> {

  /** The shells whose scripts there are. */
  enum Shell {
    BASH,
    ZSH;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @SuppressWarnings("UnusedVariable") // one script serves both
  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
  private Shell shell;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public CompletionCommand() {}

  @Override
  public Integer call() {
    // It loads bash's completion where zsh runs it.
    String script = AutoComplete.bash(spec.root().name(), spec.root().commandLine());
    spec.commandLine().getOut().print(script);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
