package io.howdah.cli.terminal;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The standard output of the process, in UTF-8 whatever the locale is. Unlike {@code System.out},
 * it keeps its first failure, so that a command whose result is lost does not end as if it had been
 * written. What comes after a failure is not written: a result has no gaps. Thread-safe.
 */
public final class StandardOutput {

  private final FailingOnce stream = new FailingOnce(new FileOutputStream(FileDescriptor.out));
  private final PrintWriter writer =
      new PrintWriter(
          new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8)), true);

  /** Creates it. One object for a process, since each has a buffer of its own. */
  public StandardOutput() {}

  /** Returns what commands write to. It flushes after each line that {@code println} ends. */
  public PrintWriter writer() {
    return writer;
  }

  /**
   * Writes what is in the buffer, and says on the standard error if something could not be written,
   * unless the reader of a pipe has closed it: it wanted no more.
   *
   * @param exitCode the code of the command
   * @return the code of the process: that of a failure if the command had none and its output is
   *     not complete
   */
  public int finish(int exitCode, CommandLine line) {
    writer.flush();
    IOException failure = stream.failure;
    if (failure == null) {
      return exitCode;
    }
    String reason = String.valueOf(failure.getMessage());
    if (!reason.toLowerCase(Locale.ROOT).contains("broken pipe")) {
      line.getErr()
          .println(
              line.getColorScheme()
                  .errorText("howdah: the standard output cannot be written: " + reason));
      line.getErr().flush();
    }
    return exitCode == CommandLine.ExitCode.OK ? CommandLine.ExitCode.SOFTWARE : exitCode;
  }

  /** Bytes to another stream until that fails; from then on the same failure. */
  private static final class FailingOnce extends OutputStream {

    private final OutputStream out;
    private volatile @Nullable IOException failure;

    FailingOnce(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      IOException before = failure;
      if (before != null) {
        throw before;
      }
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }
}
