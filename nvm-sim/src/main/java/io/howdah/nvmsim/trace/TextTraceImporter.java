package io.howdah.nvmsim.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the text format of the published tracer (atomic-memory-trace): one event per line, fields
 * separated by tabs, numbers in decimal, with the leading timestamp or, after its merge tool,
 * without.
 *
 * <pre>
 *   [stamp] thread m [r address size] [r2 address] [w address size]
 *   [stamp] thread tr | tf | start_roi | end_roi | ctxt_change | thread_sync
 *   [stamp] thread fc function stack arg1 arg2 arg3
 *   [stamp] thread fr function stack result
 * </pre>
 *
 * <p>A line that reads and writes the same bytes is a read-modify-write if hardware could do it in
 * one step: a power of two of bytes, aligned to it. Every other line that reads and writes is a
 * load, then a store: tracers write such lines for string instructions and unaligned operands. The
 * tracer's allocation function tells which memory is persistent. Lines must be in order: with
 * timestamps, they must not fall. Values are not in the format. Lines are at most {@value
 * #MAX_LINE_LENGTH} bytes; the trace is streamed.
 */
public final class TextTraceImporter implements TraceSource {
  static final int MAX_LINE_LENGTH = 4096;

  /** A line gives at most this many events: two loads and a store. */
  private static final int MAX_EVENTS_PER_LINE = 3;

  private final InputStream in;
  private final String name;
  private final TextTraceNames names;
  private final PersistentRanges persistent = new PersistentRanges();
  private final Map<Long, Integer> threads = new HashMap<>();
  private final Map<String, Long> openAllocations = new HashMap<>();
  private final byte[] line = new byte[MAX_LINE_LENGTH];
  private final byte[] input = new byte[1 << 16];
  private int inputPosition;
  private int inputLimit;
  private long lineNumber;
  private long sequence;
  private long lastStamp = Long.MIN_VALUE;
  private int stamped = -1;

  /** Reads from the stream, which is closed with this; the name is for messages. */
  public TextTraceImporter(InputStream in, String name, TextTraceNames names) {
    this.in = in;
    this.name = name;
    this.names = names;
  }

  @Override
  public boolean next(EventBatch batch) throws IOException {
    batch.begin(sequence);
    while (batch.count() <= EventBatch.CAPACITY - MAX_EVENTS_PER_LINE) {
      int length = readLine();
      if (length < 0) {
        break;
      }
      if (length == 0) {
        continue;
      }
      String text = new String(line, 0, length, StandardCharsets.UTF_8);
      try {
        parse(text.split("\t", -1), batch);
      } catch (IllegalArgumentException e) {
        throw new TraceFormatException(name, "line", lineNumber, String.valueOf(e.getMessage()));
      }
    }
    sequence += batch.count();
    return batch.count() > 0;
  }

  /**
   * Reads one line without its end, and without blanks and tabs before that, into {@link #line};
   * returns its length, -1 at the end.
   */
  private int readLine() throws IOException {
    int length = 0;
    boolean any = false;
    while (true) {
      if (inputPosition == inputLimit) {
        inputLimit = Math.max(0, in.read(input));
        inputPosition = 0;
        if (inputLimit == 0) {
          break;
        }
      }
      any = true;
      byte next = input[inputPosition++];
      if (next == '\n') {
        break;
      }
      if (length == MAX_LINE_LENGTH) {
        throw new TraceFormatException(
            name, "line", lineNumber + 1, "line longer than " + MAX_LINE_LENGTH + " bytes");
      }
      line[length++] = next;
    }
    if (!any) {
      return -1;
    }
    lineNumber++;
    while (length > 0 && isBlank(line[length - 1])) {
      length--;
    }
    return length;
  }

  private static boolean isBlank(byte character) {
    return character == '\r' || character == '\t' || character == ' ';
  }

  private void parse(String[] fields, EventBatch batch) {
    if (stamped < 0) {
      stamped = fields.length > 1 && isOperation(fields[1]) ? 0 : 1;
    }
    if (stamped == 1) {
      long stamp = number(fields, 0);
      if (stamp < lastStamp) {
        throw new IllegalArgumentException(
            "timestamp "
                + stamp
                + " is below "
                + lastStamp
                + "; merge the trace by timestamp first");
      }
      lastStamp = stamp;
    }
    int at = stamped + 1;
    if (fields.length <= at) {
      throw new IllegalArgumentException("line has no operation");
    }
    long tracedThread = number(fields, at - 1);
    String operation = fields[at];
    switch (operation) {
      case "m" -> access(fields, at + 1, thread(tracedThread), batch);
      case "tr" -> marker(batch, Event.THREAD_START, tracedThread, 0, 0);
      case "tf" -> marker(batch, Event.THREAD_END, tracedThread, 0, 0);
      case "start_roi" -> marker(batch, Event.ROI_ON, tracedThread, 0, 0);
      case "end_roi" -> marker(batch, Event.ROI_OFF, tracedThread, 0, 0);
      case "fc" -> call(fields, at + 1, tracedThread, batch);
      case "fr" -> returned(fields, at + 1, tracedThread, batch);
      case "ctxt_change", "thread_sync" -> {}
      default -> throw new IllegalArgumentException("unknown operation '" + operation + "'");
    }
  }

  private static boolean isOperation(String field) {
    return switch (field) {
      case "m", "tr", "tf", "fc", "fr", "start_roi", "end_roi", "ctxt_change", "thread_sync" ->
          true;
      default -> false;
    };
  }

  private void access(String[] fields, int from, int thread, EventBatch batch) {
    long readAddress = 0;
    int readSize = 0;
    boolean secondRead = false;
    long secondAddress = 0;
    long writeAddress = 0;
    int writeSize = 0;
    int i = from;
    if (i < fields.length && fields[i].equals("r")) {
      readAddress = number(fields, i + 1);
      readSize = size(fields, i + 2);
      i += 3;
      if (i < fields.length && fields[i].equals("r2")) {
        secondRead = true;
        secondAddress = number(fields, i + 1);
        i += 2;
      }
    }
    if (i < fields.length && fields[i].equals("w")) {
      writeAddress = number(fields, i + 1);
      writeSize = size(fields, i + 2);
      i += 3;
    }
    if (i != fields.length || i == from) {
      throw new IllegalArgumentException(
          i == from ? "memory line without an access" : "unexpected '" + fields[i] + "'");
    }
    boolean atomic =
        readSize > 0
            && readSize == writeSize
            && readAddress == writeAddress
            && Event.isAlignedAtomic(writeAddress, writeSize);
    if (readSize > 0 && !atomic) {
      append(batch, Event.LOAD, thread, readAddress, readSize);
    }
    if (secondRead) {
      append(batch, Event.LOAD, thread, secondAddress, readSize);
    }
    if (writeSize > 0) {
      append(batch, atomic ? Event.RMW : Event.STORE, thread, writeAddress, writeSize);
    }
  }

  private void append(EventBatch batch, int kind, int thread, long address, int size) {
    Event.checkAddress(address);
    batch.append(
        Event.access(kind, thread, size, persistent.contains(address, size), 0), address, 0);
  }

  private void call(String[] fields, int at, long tracedThread, EventBatch batch) {
    Integer kind = names.kinds().get(field(fields, at));
    if (kind == null) {
      return;
    }
    long argument = number(fields, at + 2);
    switch (kind) {
      case Event.PMALLOC -> {
        String frame = tracedThread + ":" + field(fields, at + 1);
        if (openAllocations.put(frame, argument) != null) {
          throw new IllegalArgumentException("allocation called again before it returned");
        }
        if (openAllocations.size() > Event.MAX_THREADS) {
          throw new IllegalArgumentException("too many allocations that never returned");
        }
      }
      case Event.PFREE -> {
        persistent.remove(argument);
        marker(batch, Event.PFREE, tracedThread, argument, 0);
      }
      case Event.OP_BEGIN, Event.OP_END -> marker(batch, kind, tracedThread, 0, argument);
      default -> marker(batch, kind, tracedThread, 0, 0);
    }
  }

  private void returned(String[] fields, int at, long tracedThread, EventBatch batch) {
    Integer kind = names.kinds().get(field(fields, at));
    if (kind == null || kind != Event.PMALLOC) {
      return;
    }
    Long length = openAllocations.remove(tracedThread + ":" + field(fields, at + 1));
    if (length == null) {
      throw new IllegalArgumentException("allocation returned without a call");
    }
    long address = number(fields, at + 2);
    persistent.add(address, length);
    marker(batch, Event.PMALLOC, tracedThread, address, length);
  }

  private void marker(EventBatch batch, int kind, long tracedThread, long address, long value) {
    batch.append(Event.marker(kind, thread(tracedThread), 0), address, value);
  }

  /** Numbers the tracer's thread ids, which may be any number, in order of appearance. */
  private int thread(long traced) {
    Integer known = threads.get(traced);
    if (known != null) {
      return known;
    }
    if (threads.size() == Event.MAX_THREADS) {
      throw new IllegalArgumentException("more than " + Event.MAX_THREADS + " threads");
    }
    threads.put(traced, threads.size());
    return threads.size() - 1;
  }

  private static int size(String[] fields, int at) {
    long size = number(fields, at);
    if (size <= 0 || size > Event.MAX_ACCESS_LENGTH) {
      throw new IllegalArgumentException(
          "access of " + size + " bytes, must be 1 to " + Event.MAX_ACCESS_LENGTH);
    }
    return (int) size;
  }

  private static String field(String[] fields, int at) {
    if (at >= fields.length) {
      throw new IllegalArgumentException("line ends after " + fields.length + " fields");
    }
    return fields[at];
  }

  private static long number(String[] fields, int at) {
    String text = field(fields, at);
    try {
      return text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException("'" + text + "' is no number (field " + (at + 1) + ")");
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
