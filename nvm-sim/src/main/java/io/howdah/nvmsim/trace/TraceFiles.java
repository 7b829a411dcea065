package io.howdah.nvmsim.trace;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Trace files of every format, known by their first bytes. */
public final class TraceFiles {
  /** Valgrind's formats begin with remarks, which take less than this. */
  private static final int START_LENGTH = 1 << 13;

  private TraceFiles() {}

  /**
   * Opens a file: the binary format of {@link TraceFileLayout}, the output of valgrind's lackey
   * ({@link LackeyTrace}) or pmemcheck ({@link PmemcheckTrace}), or else the text format of {@link
   * TextTraceImporter}.
   */
  public static TraceSource open(Path file) throws IOException {
    // Opened once: what a pipe has given it does not give again.
    InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    try {
      in.mark(START_LENGTH);
      byte[] start = in.readNBytes(START_LENGTH);
      in.reset();
      if (start.length >= Long.BYTES
          && ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getLong()
              == TraceFileLayout.MAGIC) {
        return new TraceReader(in, file.toString());
      }
      String text = new String(start, StandardCharsets.ISO_8859_1);
      if (text.lines().anyMatch(LackeyTrace::isAccess)) {
        return new LackeyTrace(in, file.toString());
      }
      return PmemcheckTrace.begins(text)
          ? new PmemcheckTrace(in, file.toString())
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
