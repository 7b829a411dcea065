package io.howdah.nvmsim.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Writes the text format of the published tracer; see {@link TextTraceImporter} for the lines.
 * Values and sites have no place in it. Memory that was not allocated by a {@link Event#PMALLOC}
 * event comes back as volatile.
 */
public final class TextTraceExporter implements TraceSink, AutoCloseable {
  private final OutputStream out;
  private final boolean stamps;
  private final StringBuilder text = new StringBuilder(EventBatch.CAPACITY * 40);

  /** Writes to the stream, which is closed with this; with stamps, they are sequence numbers. */
  public TextTraceExporter(OutputStream out, boolean stamps) {
    this.out = out;
    this.stamps = stamps;
  }

  @Override
  public void accept(EventBatch batch) {
    text.setLength(0);
    for (int i = 0; i < batch.count(); i++) {
      line(batch.packed()[i], batch.addresses()[i], batch.values()[i], batch.firstSequence() + i);
    }
    try {
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void line(long event, long address, long value, long sequence) {
    int kind = Event.kind(event);
    switch (kind) {
      case Event.LOAD -> begin(event, sequence, "m").append(access('r', event, address));
      case Event.STORE -> begin(event, sequence, "m").append(access('w', event, address));
      case Event.RMW ->
          begin(event, sequence, "m")
              .append(access('r', event, address))
              .append(access('w', event, address));
      case Event.THREAD_START -> begin(event, sequence, "tr");
      case Event.THREAD_END -> begin(event, sequence, "tf");
      case Event.ROI_ON -> begin(event, sequence, "start_roi");
      case Event.ROI_OFF -> begin(event, sequence, "end_roi");
      case Event.PMALLOC -> {
        call(event, sequence, kind, value);
        text.append('\n');
        begin(event, sequence, "fr").append('\t').append(TextTraceNames.MALLOC);
        text.append("\t0\t").append(address);
      }
      case Event.FLUSH -> {
        begin(event, sequence, "fc").append('\t').append(TextTraceNames.DEFAULT.nameOf(kind));
        text.append("\t0\t").append(address).append('\t').append(Event.size(event));
        text.append("\t0");
      }
      case Event.PFREE -> call(event, sequence, kind, address);
      default -> call(event, sequence, kind, value);
    }
    text.append('\n');
  }

  private void call(long event, long sequence, int kind, long argument) {
    begin(event, sequence, "fc").append('\t').append(TextTraceNames.DEFAULT.nameOf(kind));
    text.append("\t0\t").append(argument).append("\t0\t0");
  }

  private StringBuilder begin(long event, long sequence, String operation) {
    if (stamps) {
      text.append(sequence).append('\t');
    }
    return text.append(Event.thread(event)).append('\t').append(operation);
  }

  private static String access(char direction, long event, long address) {
    return "\t" + direction + "\t" + address + "\t" + Event.size(event);
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
