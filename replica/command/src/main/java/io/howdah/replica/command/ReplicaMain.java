package io.howdah.replica.command;

import io.howdah.core.HowdahException;
import io.howdah.replica.store.GroupClient;
import io.howdah.replica.store.ReplicaGroup;
import io.howdah.replica.store.ReplicatedStore;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code howdah replica}. Exit codes: 0 done, 1 failed or a violation found, 2 wrong usage or a
 * wrong group file.
 */
@Command(
    name = "howdah replica",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Members of replica groups (an experiment: docs/replica.md).%n")
public final class ReplicaMain {

  private static final String GROUP = "--group";
  private static final String FILE = "FILE";
  private static final String GROUP_FILE = "The group file.";
  private static final String NOT_YET = "not done yet; try again";

  private ReplicaMain() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** Runs one command; returns its exit code. */
  static int run(String... arguments) {
    CommandLine line = new CommandLine(new ReplicaMain());
    line.setExecutionExceptionHandler(
        (thrown, _, _) -> {
          if (thrown instanceof IllegalArgumentException) {
            System.err.println("howdah: " + thrown.getMessage());
            return CommandLine.ExitCode.USAGE;
          }
          if (thrown instanceof HowdahException || thrown instanceof UncheckedIOException) {
            System.err.println("howdah: " + thrown.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
          }
          throw thrown;
        });
    return line.execute(arguments);
  }

  @Command(
      name = "init",
      mixinStandardHelpOptions = true,
      description =
          "Creates the directory of a member, once for each name. A lost member never comes back"
              + " under its name.%n")
  int init(
      @Parameters(paramLabel = "DIR", description = "Absent or empty.") Path directory,
      @Option(names = GROUP, paramLabel = FILE, required = true, description = GROUP_FILE)
          Path group,
      @Option(names = "--id", paramLabel = "NAME", required = true, description = "Its name.")
          String name,
      @Option(
              names = "--join",
              description =
                  "The group exists, and the member takes the place of a lost one: see replace.")
          boolean joins) {
    if (joins) {
      ReplicatedStore.createJoining(directory, ReplicaGroup.read(group), name);
    } else {
      ReplicatedStore.create(directory, ReplicaGroup.read(group), name);
    }
    return CommandLine.ExitCode.OK;
  }

  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = "Asks all members for role, leader and position.%n")
  int status(
      @Option(names = GROUP, paramLabel = FILE, required = true, description = GROUP_FILE)
          Path group) {
    boolean isLed = false;
    for (Map.Entry<String, Optional<String>> member :
        new GroupClient(ReplicaGroup.read(group)).status().entrySet()) {
      String state = member.getValue().orElse("does not answer");
      isLed |= state.contains("role leader");
      System.out.println(member.getKey() + ": " + String.join(", ", state.lines().toList()));
    }
    return isLed ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  @Command(
      name = "transfer",
      mixinStandardHelpOptions = true,
      description = "Makes another member the leader. Nothing that was committed is unknown.%n")
  int transfer(
      @Option(names = GROUP, paramLabel = FILE, required = true, description = GROUP_FILE)
          Path group,
      @Option(names = "--to", paramLabel = "NAME", required = true, description = "Its name.")
          String name) {
    return told(new GroupClient(ReplicaGroup.read(group)).transfer(name));
  }

  @Command(
      name = "replace",
      mixinStandardHelpOptions = true,
      description = {
        "Puts a new member in the place of a lost one. Before: write the new one into the group file"
            + " in the place of the lost one; on its machine, init --join, and start the service.",
        "Afterwards: give the group file to all members.%n"
      })
  int replace(
      @Option(names = GROUP, paramLabel = FILE, required = true, description = GROUP_FILE)
          Path group,
      @Option(
              names = "--old",
              paramLabel = "NAME",
              required = true,
              description = "A member whose machine is lost, or switched off for good.")
          String former,
      @Option(
              names = "--new",
              paramLabel = "NAME",
              required = true,
              description = "A name that no member ever had.")
          String name) {
    return told(new GroupClient(ReplicaGroup.read(group)).replace(former, name));
  }

  private static int told(boolean isDone) {
    if (!isDone) {
      System.err.println("howdah: " + NOT_YET);
    }
    return isDone ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }
}
