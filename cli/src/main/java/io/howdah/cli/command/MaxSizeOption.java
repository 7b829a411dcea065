package io.howdah.cli.command;

import io.howdah.StoreOptions;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --max-size}, of commands that open a store to add to it. */
public final class MaxSizeOption {

  @Option(
      names = "--max-size",
      paramLabel = "SIZE",
      description =
          "Most bytes that the store may take (maxSize): 512m, 64g. The store keeps it; a new one"
              + " has 60 %% of the machine's memory if not given.")
  private @Nullable String size;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Creates it, for the command line. */
  public MaxSizeOption() {}

  /** Returns whether the user has given it. */
  public boolean isGiven() {
    return size != null;
  }

  /**
   * Returns how to open the store.
   *
   * @throws ParameterException if the size is none, or one that no store can have
   */
  public StoreOptions options() {
    if (size == null) {
      return StoreOptions.defaults();
    }
    OptionalLong bytes = ByteSize.parse(size, 1);
    if (bytes.isEmpty()) {
      throw usage("it is a number of bytes such as 512m or 64g, not " + size);
    }
    try {
      return StoreOptions.defaults().withMaxSize(bytes.getAsLong());
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the error for a use of the option that is refused. */
  public ParameterException usage(String reason) {
    return new ParameterException(command.commandLine(), "--max-size: " + reason);
  }
}
