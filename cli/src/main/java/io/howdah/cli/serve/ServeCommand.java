package io.howdah.cli.serve;

import io.howdah.cli.command.HowdahVersion;
import io.howdah.core.HowdahException;
import io.howdah.server.net.ServerOptions;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah serve}. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    versionProvider = HowdahVersion.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    description =
        "Serves memcached's protocols from a store: what was acknowledged is there again after a"
            + " kill. Options have memcached's letters.%n")
public final class ServeCommand implements Callable<Integer> {

  private static final String LICENCE =
      """
      Howdah, copyright 2026 the Howdah authors.
      Licensed under the Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0

      Unless required by applicable law or agreed to in writing, it is distributed on an "AS IS" BASIS,
      WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.

      The server has parts of Netty, JCTools and picocli, each under the same licence.
      """;

  @Spec private CommandSpec spec;

  @Mixin private ServeArguments arguments;

  @Option(
      names = {"-i", "--license"},
      description = "Print the licence of the program and of the libraries in it, and exit.")
  private boolean isLicenceAsked;

  /** Creates it, for the command line. */
  public ServeCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    if (isLicenceAsked) {
      spec.commandLine().getOut().print(LICENCE);
      spec.commandLine().getOut().flush();
      return 0;
    }
    try {
      ServerOptions options = arguments.options();
      new ServeProgram(spec.commandLine().getOut(), spec.commandLine().getErr())
          .run(arguments, options);
      return 0;
    } catch (UsageException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  /**
   * Serves without the command line's library, whose loading takes as long as the rest of a start.
   *
   * @param arguments of {@code howdah}; only what {@link PlainArguments} understands
   * @return the exit code, or null if nothing was done: then the library is to parse the arguments
   */
  public static @Nullable Integer serveAtOnce(String[] arguments) throws InterruptedException {
    ServeArguments parsed = PlainArguments.parse(arguments);
    if (parsed == null) {
      return null;
    }
    PrintWriter err = new PrintWriter(System.err, true, Charset.defaultCharset());
    try {
      ServerOptions options = parsed.options();
      new ServeProgram(new PrintWriter(System.out, true, Charset.defaultCharset()), err)
          .run(parsed, options);
      return 0;
    } catch (UsageException _) {
      return null;
    } catch (HowdahException e) {
      err.println("howdah: " + e.getMessage());
      return 1;
    }
  }
}
