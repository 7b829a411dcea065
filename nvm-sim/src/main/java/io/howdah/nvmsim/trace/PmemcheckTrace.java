package io.howdah.nvmsim.trace;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log of stores of {@code valgrind --tool=pmemcheck --log-stores=yes}: entries separated
 * by {@code |} or line ends, which count between {@code START} and {@code STOP}.
 *
 * <pre>
 *   STORE;address;value;size    a store to persistent memory
 *   FLUSH;address;size          a write-back
 *   FENCE
 *   ==pid== text                skipped
 * </pre>
 *
 * <p>Numbers are decimal, or hexadecimal after {@code 0x}. Other entries, as files registered and
 * marks of the user's, are skipped. The log has persistent memory alone, no loads and no threads:
 * all is of thread 0. Entries are at most 4096 bytes; the trace is streamed.
 */
final class PmemcheckTrace implements TraceSource {
  private static final int MAX_FLUSH = 1 << 15;

  /** A write-back of more is refused, so that an entry gives a bounded number of events. */
  private static final long MAX_FLUSH_EVENTS = 512;

  private final TraceLines lines;
  private long sequence;
  private boolean started;

  /** The rest of a write-back that is longer than an event can say. */
  private long flushAt;

  private long flushLeft;

  /** Reads from the stream, which is closed with this; the name is for messages. */
  public PmemcheckTrace(InputStream in, String name) {
    lines = new TraceLines(in, name);
  }

  /** Whether a piece of text has the mark with which such a log begins. */
  static boolean begins(String text) {
    return text.startsWith("START|")
        || text.contains("|START|")
        || text.contains(" START|")
        || text.contains("\nSTART|")
        || text.contains("|STORE;");
  }

  @Override
  public boolean next(EventBatch batch) throws IOException {
    batch.begin(sequence);
    while (!batch.isFull()) {
      if (flushLeft > 0) {
        flush(batch);
        continue;
      }
      @Nullable String entry = lines.nextUpTo('|');
      if (entry == null) {
        break;
      }
      try {
        entry(withoutPid(entry), batch);
      } catch (IllegalArgumentException e) {
        throw lines.wrong(e);
      }
    }
    sequence += batch.count();
    return batch.count() > 0;
  }

  /** Valgrind puts {@code ==pid==} before each of its own lines. */
  private static String withoutPid(String entry) {
    int end = entry.startsWith("==") ? entry.indexOf("==", 2) : -1;
    return end < 0 ? entry : entry.substring(end + 2).strip();
  }

  private void entry(String entry, EventBatch batch) {
    String[] fields = entry.split(";", -1);
    switch (fields[0]) {
      case "START" -> started = true;
      case "STOP" -> started = false;
      case "STORE" -> {
        if (started) {
          require(fields, 4);
          int size = HexNumber.size(HexNumber.any(fields[3]));
          long address = HexNumber.any(fields[1]);
          Event.checkAddress(address);
          long value = size <= Long.BYTES ? HexNumber.any(fields[2]) : 0;
          batch.append(Event.access(Event.STORE, 0, size, true, 0), address, value);
        }
      }
      case "FLUSH" -> {
        if (started) {
          require(fields, 3);
          flushAt = HexNumber.any(fields[1]);
          flushLeft = HexNumber.any(fields[2]);
          Event.checkAddress(flushAt);
          if (flushLeft < 0 || flushLeft > MAX_FLUSH * MAX_FLUSH_EVENTS) {
            throw new IllegalArgumentException("write-back of " + fields[2] + " bytes");
          }
          Event.checkAddress(flushAt + flushLeft);
        }
      }
      case "FENCE" -> {
        if (started) {
          batch.append(Event.marker(Event.FENCE, 0, 0), 0, 0);
        }
      }
      default -> {
        // A remark, a registered file, or a mark of the user's.
      }
    }
  }

  private void flush(EventBatch batch) {
    int size = (int) Math.min(flushLeft, MAX_FLUSH);
    batch.append(Event.flush(0, size, true, 0), flushAt, 0);
    flushAt += size;
    flushLeft -= size;
  }

  private static void require(String[] fields, int count) {
    if (fields.length != count) {
      throw new IllegalArgumentException(
          fields[0] + " has " + (fields.length - 1) + " fields, needs " + (count - 1));
    }
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
