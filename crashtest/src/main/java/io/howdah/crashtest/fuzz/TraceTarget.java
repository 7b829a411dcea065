package io.howdah.crashtest.fuzz;

import io.howdah.crashtest.oracle.Violation;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import io.howdah.nvmsim.trace.TextTraceImporter;
import io.howdah.nvmsim.trace.TextTraceNames;
import io.howdah.nvmsim.trace.TraceFileLayout;
import io.howdah.nvmsim.trace.TraceFormatException;
import io.howdah.nvmsim.trace.TraceHeader;
import io.howdah.nvmsim.trace.TraceReader;
import io.howdah.nvmsim.trace.TraceSource;
import io.howdah.nvmsim.trace.TraceWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A trace file of the simulator. The first byte of an input says which: the binary form as it
 * stands, the binary form with its checksums made right, or the text of another tracer. It is
 * refused by place, or read to its end.
 */
public final class TraceTarget implements FuzzTarget {

  /** An event takes at least a byte of the file, so more than these come from nowhere. */
  private static final int MAX_EVENTS_PER_BYTE = 3;

  private static final int EVENTS = 64;

  /** Creates it. */
  public TraceTarget() {}

  @Override
  public String name() {
    return "trace";
  }

  @Override
  public String what() {
    return "a trace file for howdah sim, binary or text";
  }

  @Override
  public List<byte[]> seeds() {
    byte[] binary = binary();
    byte[] text =
        "1\t0\ttr\n2\t0\tm\tr\t4096\t8\tw\t4096\t8\n3\t0\tfc\tf\t1\t2\t3\t4\n"
            .getBytes(StandardCharsets.UTF_8);
    return List.of(with(0, binary), with(1, binary), with(2, text));
  }

  private static byte[] with(int form, byte[] file) {
    byte[] input = new byte[file.length + 1];
    input[0] = (byte) form;
    System.arraycopy(file, 0, input, 1, file.length);
    return input;
  }

  private static byte[] binary() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TraceWriter writer = new TraceWriter(out, new TraceHeader("fuzz", 1, true))) {
      EventBatch batch = new EventBatch();
      batch.begin(0);
      for (int i = 0; i < EVENTS; i++) {
        batch.append(
            Event.access(i % 2 == 0 ? Event.LOAD : Event.STORE, i % 3, Long.BYTES, true, 0),
            4096 + 8L * i,
            i);
      }
      writer.accept(batch);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  @Override
  public void run(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    byte[] file = Arrays.copyOfRange(input, 1, input.length);
    int form = Byte.toUnsignedInt(input[0]) % 3;
    if (form == 1) {
      mend(file);
    }
    ByteArrayInputStream in = new ByteArrayInputStream(file);
    long events = 0;
    try (TraceSource source =
        form == 2
            ? new TextTraceImporter(in, "input", TextTraceNames.DEFAULT)
            : new TraceReader(in, "input")) {
      EventBatch batch = new EventBatch();
      while (source.next(batch)) {
        events += batch.count();
        if (events > (long) MAX_EVENTS_PER_BYTE * file.length) {
          throw new Violation(events + " events from " + file.length + " bytes");
        }
      }
    } catch (TraceFormatException e) {
      // It says what is wrong, and where.
    }
  }

  /** Makes the checksums of header and chunks right, as far as chunks follow one another. */
  private static void mend(byte[] bytes) {
    ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < TraceFileLayout.HEADER_LENGTH) {
      return;
    }
    CRC32C header = new CRC32C();
    header.update(bytes, 0, TraceFileLayout.CRC_OFFSET);
    file.putInt(TraceFileLayout.CRC_OFFSET, (int) header.getValue());
    int at = TraceFileLayout.HEADER_LENGTH;
    while (at + TraceFileLayout.CHUNK_HEADER_LENGTH <= bytes.length) {
      int length = file.getInt(at + TraceFileLayout.CHUNK_LENGTH_OFFSET);
      int payload = at + TraceFileLayout.CHUNK_HEADER_LENGTH;
      if (length < 0 || length > bytes.length - payload) {
        return;
      }
      CRC32C crc = new CRC32C();
      crc.update(bytes, at, TraceFileLayout.CHUNK_CRC_OFFSET);
      crc.update(bytes, payload, length);
      file.putInt(at + TraceFileLayout.CHUNK_CRC_OFFSET, (int) crc.getValue());
      at = payload + length;
    }
  }
}
