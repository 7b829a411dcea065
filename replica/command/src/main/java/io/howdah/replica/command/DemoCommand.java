package io.howdah.replica.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah replica demo}: a service of three processes whose leader is killed. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Runs a service of three processes on this machine, kills or stops the leader again and"
            + " again, and checks that nothing acknowledged is lost.%n")
final class DemoCommand implements Callable<Integer> {

  private static final int MAX_ROUNDS = 100_000;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "6",
      description = "How often to kill the leader (${DEFAULT-VALUE}).")
  private int kills;

  @Option(
      names = "--pauses",
      paramLabel = "N",
      defaultValue = "2",
      description = "How often to stop it (SIGSTOP) until another one leads (${DEFAULT-VALUE}).")
  private int pauses;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (kills < 0 || pauses < 0 || kills + pauses < 1 || kills + pauses > MAX_ROUNDS) {
      throw new ParameterException(
          spec.commandLine(),
          "--kills and --pauses are together from 1 to "
              + MAX_ROUNDS
              + ", not "
              + (kills + pauses));
    }
    Path directory = Files.createTempDirectory("howdah-replica-demo");
    try (GroupDemo demo = new GroupDemo(directory)) {
      int rounds = kills + pauses;
      int paused = 0;
      for (int round = 1; round <= rounds; round++) {
        // Pauses lie evenly between the kills.
        if (paused < (long) pauses * round / rounds) {
          demo.pause();
          paused++;
        } else {
          demo.kill();
        }
      }
      List<String> errors = demo.errors();
      errors.forEach(System.err::println);
      System.out.println(demo.figures());
      return errors.isEmpty() ? 0 : 1;
    } catch (GroupDemo.Violation e) {
      System.err.println("howdah: " + e.getMessage());
      return 1;
    } finally {
      delete(directory);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
