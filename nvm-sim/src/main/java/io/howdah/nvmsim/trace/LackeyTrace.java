package io.howdah.nvmsim.trace;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@code valgrind --tool=lackey --trace-mem=yes} prints, in the order of the program.
 *
 * <pre>
 *   ==pid== text       skipped
 *   I  address,size    an instruction: skipped
 *    L address,size    a load
 *    S address,size    a store
 *    M address,size    a load, then a store: an instruction that modifies memory is not atomic
 * </pre>
 *
 * <p>Addresses are hexadecimal, sizes decimal. Lackey says neither which thread accesses memory nor
 * which memory is persistent nor where write-backs and fences are: all is persistent memory of
 * thread 0, without order. Values are not in the format. Lines are at most 4096 bytes; the trace is
 * streamed.
 */
final class LackeyTrace implements TraceSource {
  /** A line gives at most a load and a store. */
  private static final int MAX_EVENTS_PER_LINE = 2;

  private final TraceLines lines;
  private long sequence;

  /** Reads from the stream, which is closed with this; the name is for messages. */
  public LackeyTrace(InputStream in, String name) {
    lines = new TraceLines(in, name);
  }

  /** Whether a line is of this format and no remark. */
  static boolean isAccess(String line) {
    return line.startsWith("I  ")
        || line.startsWith(" L ")
        || line.startsWith(" S ")
        || line.startsWith(" M ");
  }

  @Override
  public boolean next(EventBatch batch) throws IOException {
    batch.begin(sequence);
    while (batch.count() <= EventBatch.CAPACITY - MAX_EVENTS_PER_LINE) {
      @Nullable String line = lines.next();
      if (line == null) {
        break;
      }
      if (!line.isEmpty() && !line.startsWith("==") && !line.startsWith("--")) {
        try {
          access(line, batch);
        } catch (IllegalArgumentException e) {
          throw lines.wrong(e);
        }
      }
    }
    sequence += batch.count();
    return batch.count() > 0;
  }

  private static void access(String line, EventBatch batch) {
    if (!isAccess(line)) {
      throw new IllegalArgumentException("no line of lackey: '" + line + "'");
    }
    if (line.charAt(0) == 'I') {
      return;
    }
    int comma = line.indexOf(',');
    if (comma < 0) {
      throw new IllegalArgumentException("no size in '" + line + "'");
    }
    long address = HexNumber.hex(line.substring(3, comma).strip());
    int size = HexNumber.size(HexNumber.any(line.substring(comma + 1).strip()));
    Event.checkAddress(address);
    char kind = line.charAt(1);
    if (kind != 'S') {
      batch.append(Event.access(Event.LOAD, 0, size, true, 0), address, 0);
    }
    if (kind != 'L') {
      batch.append(Event.access(Event.STORE, 0, size, true, 0), address, 0);
    }
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
