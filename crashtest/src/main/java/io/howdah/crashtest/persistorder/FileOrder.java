package io.howdah.crashtest.persistorder;

import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.Site;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns writes and forces of files into a memory trace for strand persistency. Files promise less
 * than memory does: writes are ordered only by forces. A force of a file covers the writes to it
 * that had returned when the force began, and only what begins after the force has returned is
 * ordered after them.
 *
 * <p>Every operation is a strand of its own. A write loads a volatile word that stands for the
 * forces which had returned when it began, and stores one that stands for the file's writes of that
 * time. A force loads the words of the writes that it covers and stores a new word for itself. The
 * only order between two strands is through these words.
 */
final class FileOrder {
  /** What the sites of forces say. */
  static final String FORCE = "force";

  private static final int MAX_EVENTS = 1 << 18;

  /** What a disk writes whole or not at all. A store to its first word stands for all of it. */
  private static final int SECTOR_BYTES = 512;

  /** Each file gets so many bytes of persistent addresses. */
  private static final long FILE_BYTES = 1L << 32;

  private static final class File {
    final long base;
    final String kind;

    /** Words of the writes that no force has covered yet; the last one is for writes of now. */
    final List<Long> uncovered = new ArrayList<>();

    File(long base, String kind) {
      this.base = base;
      this.kind = kind;
    }
  }

  /** The threads of the trace: one does the operations, one is told that they are durable. */
  private static final int FILES = 0;

  private static final int CLIENT = 1;

  /**
   * What was known when an operation began.
   *
   * @param forces the word of the forces that had returned
   * @param writes the words of the writes that a force covers; empty for a write
   */
  record Begin(long forces, List<Long> writes) {}

  private TraceBuffer trace = new TraceBuffer(MAX_EVENTS);
  private final Map<String, File> files = new HashMap<>();
  private final Map<String, Integer> forces = new LinkedHashMap<>();

  /** Words that stand for the forces that have returned: each includes the ones before. */
  private long forcesWord = word(0);

  private long words = 1;
  private boolean recording;

  private static long word(long number) {
    return Long.BYTES * number;
  }

  /** Begins to record; what was written before is taken as durable. */
  synchronized void start() {
    recording = true;
  }

  /** Forgets what was recorded so far. */
  synchronized void restart() {
    trace = new TraceBuffer(MAX_EVENTS);
    forces.clear();
  }

  synchronized void stop() {
    recording = false;
  }

  synchronized TraceBuffer trace() {
    return trace;
  }

  /** Forces that covered a write, by the kind of their file. */
  synchronized Map<String, Integer> forces() {
    return Map.copyOf(forces);
  }

  private File file(String name) {
    return files.computeIfAbsent(
        name,
        _ -> {
          File file = new File(FILE_BYTES * (files.size() + 1L), kind(name));
          file.uncovered.add(word(words++));
          return file;
        });
  }

  /** Segments, journals and the like differ by numbers only. */
  private static String kind(String name) {
    return name.replaceAll("[0-9a-f]*[0-9][0-9a-f]*", "#");
  }

  synchronized Begin beginWrite() {
    return new Begin(forcesWord, List.of());
  }

  /** A force begins: writes that return later are not covered by it. */
  synchronized Begin beginForce(String name) {
    File file = file(name);
    List<Long> covered = List.copyOf(file.uncovered);
    file.uncovered.add(word(words++));
    return new Begin(forcesWord, covered);
  }

  /** A write has returned. */
  synchronized void written(Begin begin, String name, long offset, int lengthBytes) {
    if (!recording) {
      return;
    }
    File file = file(name);
    int site = Site.at(file.kind, 0, "write");
    strand();
    load(begin.forces);
    barrier(Site.at(file.kind, 0, "order after forces"));
    long end = offset + lengthBytes;
    for (long at = offset / SECTOR_BYTES * SECTOR_BYTES; at < end; at += SECTOR_BYTES) {
      trace.add(Event.access(Event.STORE, FILES, Long.BYTES, true, site), file.base + at, 0);
    }
    barrier(Site.at(file.kind, 0, "order before force"));
    store(file.uncovered.getLast());
  }

  /** A force has returned. */
  synchronized void forced(Begin begin, String name) {
    if (!recording) {
      return;
    }
    File file = file(name);
    strand();
    begin.writes.forEach(this::load);
    load(forcesWord);
    barrier(Site.at(file.kind, 0, FORCE));
    forcesWord = word(words++);
    store(forcesWord);
    file.uncovered.removeAll(begin.writes);
    forces.merge(file.kind, 1, Integer::sum);
  }

  synchronized void operationBegins(long number) {
    trace.add(Event.marker(Event.OP_BEGIN, CLIENT, 0), 0, number);
  }

  /** The store has said that the operation is durable. */
  synchronized void acknowledged(long number) {
    trace.add(Event.access(Event.LOAD, CLIENT, Long.BYTES, false, 0), forcesWord, 0);
    trace.add(Event.marker(Event.PERSIST_SYNC, CLIENT, 0), 0, 0);
    trace.add(Event.marker(Event.OP_END, CLIENT, 0), 0, number);
  }

  private void strand() {
    trace.add(Event.marker(Event.NEW_STRAND, FILES, 0), 0, 0);
  }

  private void barrier(int site) {
    trace.add(Event.marker(Event.PERSIST_BARRIER, FILES, site), 0, 0);
  }

  private void load(long word) {
    trace.add(Event.access(Event.LOAD, FILES, Long.BYTES, false, 0), word, 0);
  }

  private void store(long word) {
    trace.add(Event.access(Event.STORE, FILES, Long.BYTES, false, 0), word, 0);
  }
}
