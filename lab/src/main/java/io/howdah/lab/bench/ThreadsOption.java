package io.howdah.lab.bench;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --threads}: how many commit. */
final class ThreadsOption {

  private static final int MAX_THREADS = 1024;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that run transactions (one for each processor, at least 2).")
  private @Nullable Integer threads;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  ThreadsOption() {}

  /** Returns the number, or ends the command with exit code 2 if it is out of range. */
  int count() {
    if (threads == null) {
      return Math.max(2, Runtime.getRuntime().availableProcessors());
    }
    if (threads < 1 || threads > MAX_THREADS) {
      throw new ParameterException(
          spec.commandLine(),
          "--threads must be from 1 to %,d: %,d".formatted(MAX_THREADS, threads));
    }
    return threads;
  }
}
