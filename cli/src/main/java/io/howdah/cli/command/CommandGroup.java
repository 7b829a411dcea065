package io.howdah.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only holds others: alone it is a usage error. */
@Command(mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND")
public abstract class CommandGroup implements Callable<Integer> {

  @Spec private CommandSpec spec;

  /** Creates one. */
  protected CommandGroup() {}

  @Override
  public final Integer call() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}
