package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.trace.TextTraceExporter;
import io.howdah.nvmsim.trace.TraceFiles;
import io.howdah.nvmsim.trace.TraceHeader;
import io.howdah.nvmsim.trace.TraceSink;
import io.howdah.nvmsim.trace.TraceSource;
import io.howdah.nvmsim.trace.TraceWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Writes traces to files, as text or in the binary format. */
public final class TraceExport {
  private TraceExport() {}

  /**
   * Writes a queue's trace, or another trace again.
   *
   * @param source trace to convert, or null for the queue
   * @return events written
   */
  public static long write(
      Path file, @Nullable Path source, int threads, long inserts, ScheduleKind policy, long seed)
      throws IOException {
    if (file.toString().endsWith(".txt")) {
      try (TextTraceExporter out = TraceFiles.createText(file)) {
        return feed(out, source, threads, inserts, policy, seed);
      }
    }
    TraceHeader header = new TraceHeader(source == null ? policy.text() : "converted", seed, true);
    try (TraceWriter out =
        new TraceWriter(new BufferedOutputStream(Files.newOutputStream(file)), header)) {
      return feed(out, source, threads, inserts, policy, seed);
    }
  }

  private static long feed(
      TraceSink out,
      @Nullable Path source,
      int threads,
      long inserts,
      ScheduleKind policy,
      long seed)
      throws IOException {
    if (source == null) {
      return QueueRun.trace(QueueSpec.cwl(), threads, inserts, policy.create(seed, inserts), out);
    }
    try (TraceSource in = TraceFiles.open(source)) {
      return in.feed(out);
    }
  }
}
