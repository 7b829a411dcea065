package io.howdah.cli.shell;

import io.howdah.Store;
import io.howdah.cli.command.MaxSizeOption;
import io.howdah.cli.command.SharedStore;
import io.howdah.cli.command.StoreFolder;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah shell}. */
@Command(
    name = "shell",
    description = {
      "Opens a store and runs the commands ls, get, put, rm, drop, checkpoint, load, dump and"
          + " inspect on it, without the operand STORE, until exit or the end of the input.",
      "On a terminal there are a history and the completion of commands and names. Otherwise each"
          + " line of the standard input is a command; the first one that fails ends the shell with"
          + " its exit code. JSON needs no quotes: put lines 5 {\"article\": \"tea pot\"}",
      "The store is locked as long as the shell runs."
    },
    mixinStandardHelpOptions = true)
public final class ShellCommand implements Callable<Integer> {

  @Parameters(paramLabel = "STORE", description = "Folder of the store.")
  private Path store;

  @Option(names = "--read-only", description = "Refuse commands that change the store.")
  private boolean readOnly;

  @Mixin private MaxSizeOption maxSize;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public ShellCommand() {}

  @Override
  public Integer call() throws IOException {
    if (readOnly && maxSize.isGiven()) {
      throw maxSize.usage("a store that is opened with --read-only stays as it is");
    }
    SharedStore.requireStore(store, spec.commandLine());
    if (!readOnly) {
      StoreFolder.requireNoBackup(store);
    }
    try (Store open = Store.open(store, maxSize.options().withReadOnly(readOnly))) {
      ShellLines lines = new ShellLines(open, store, spec.commandLine());
      if (isOnTerminal()) {
        ShellTerminal.run(lines);
        return 0;
      }
      return lines.runAll(new ScriptLines(System.in));
    }
  }

  @SuppressWarnings("SystemConsoleNull") // as the method is declared
  private static boolean isOnTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }
}
