package io.howdah.nvmsim.trace;

import java.io.IOException;
import java.io.InputStream;
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
 * <p>What is no access is a call of a named function. The tracer has the first two, the others are
 * Howdah's; {@code fr} lines of theirs are not needed. Arguments that are not named are 0.
 *
 * <pre>
 *   atomic_trace::special_malloc   arg1 = bytes; the fr line has the address: persistent memory
 *   atomic_trace::special_free     arg1 = address
 *   howdah::persist_barrier, howdah::new_strand, howdah::persist_sync
 *   howdah::flush                  arg1 = address, arg2 = bytes: a write-back
 *   howdah::fence                  write-backs before it are durable
 *   howdah::op_begin, howdah::op_end   arg1 = number of the operation
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
  static final int MAX_LINE_LENGTH = TraceLines.MAX_LENGTH;

  /** A line gives at most this many events: two loads and a store. */
  private static final int MAX_EVENTS_PER_LINE = 3;

  private final TextTraceNames names;
  private final PersistentRanges persistent = new PersistentRanges();
  private final Map<Long, Integer> threads = new HashMap<>();
  private final Map<String, Long> openAllocations = new HashMap<>();
  private final TraceLines lines;
  private long sequence;
  private long lastStamp = Long.MIN_VALUE;
  private int stamped = -1;

  /** Reads from the stream, which is closed with this; the name is for messages. */
  public TextTraceImporter(InputStream in, String name, TextTraceNames names) {
    this.lines = new TraceLines(in, name);
    this.names = names;
  }

  @Override
  public boolean next(EventBatch batch) throws IOException {
    batch.begin(sequence);
    while (batch.count() <= EventBatch.CAPACITY - MAX_EVENTS_PER_LINE) {
      String text = lines.next();
      if (text == null) {
        break;
      }
      if (text.isEmpty()) {
        continue;
      }
      try {
        parse(text.split("\t", -1), batch);
      } catch (IllegalArgumentException e) {
        throw lines.wrong(e);
      }
    }
    sequence += batch.count();
    return batch.count() > 0;
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
      case Event.FLUSH -> {
        int size = size(fields, at + 3);
        Event.checkAddress(argument);
        batch.append(
            Event.flush(thread(tracedThread), size, persistent.contains(argument, size), 0),
            argument,
            0);
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
    lines.close();
  }
}
