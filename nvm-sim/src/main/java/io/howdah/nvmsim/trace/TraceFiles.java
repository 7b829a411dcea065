package io.howdah.nvmsim.trace;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** Trace files of either format: the binary one is known by its first bytes. */
public final class TraceFiles {
  private TraceFiles() {}

  /**
   * Opens a file: the binary format of {@link TraceFileLayout}, or else the text format of {@link
   * TextTraceImporter}.
   */
  public static TraceSource open(Path file) throws IOException {
    // Opened once: what a pipe has given it does not give again.
    InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    try {
      in.mark(Long.BYTES);
      byte[] start = in.readNBytes(Long.BYTES);
      in.reset();
      boolean binary =
          start.length == Long.BYTES
              && ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getLong()
                  == TraceFileLayout.MAGIC;
      return binary
          ? new TraceReader(in, file.toString())
          : new TextTraceImporter(in, file.toString(), TextTraceNames.DEFAULT);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /** Writes the text format, without stamps. */
  public static TextTraceExporter createText(Path file) throws IOException {
    OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
    return new TextTraceExporter(out, false);
  }
}
