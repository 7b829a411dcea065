package io.howdah.jmh.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** What was found of one store. The study fills it; then nobody changes it. */
public final class PeerFindings {

  /** Live objects on the heap after loading, in bytes. */
  public static final String HEAP_BYTES = "heapBytes";

  /** Bytes written to disk until the clean close, over the keys and values that were put. */
  public static final String WRITE_AMPLIFICATION = "writeAmplification";

  /** Disk blocks after the clean close, over the keys and values. */
  public static final String DISK_OVER_DATA = "diskOverData";

  /** The largest share of commits that a kill undid, of a thousand that had just returned. */
  public static final String LOST_BY_A_KILL = "lostByKill";

  /** Entries whose keys ascend, by what the store has for that. */
  public static final String BULK = "BULK";

  private final Map<String, List<PeerAnswer>> answers = new LinkedHashMap<>();
  private final Map<String, Double> figures = new LinkedHashMap<>();
  private String complaint = "";
  private double puts;

  PeerFindings() {}

  /** Returns the name of synchronous commits by so many threads. */
  public static String sync(int threads) {
    return "SYNC_" + threads;
  }

  void add(String name, PeerAnswer answer) {
    answers.computeIfAbsent(name, _ -> new ArrayList<>()).add(answer);
  }

  void set(String name, double figure) {
    figures.put(name, figure);
  }

  void worst(String name, double figure) {
    figures.merge(name, figure, Math::max);
  }

  void complaint(String line) {
    complaint = line;
  }

  /** Counts values that were put, whether their round counts or not. */
  void wrote(double values) {
    puts += values;
  }

  double puts() {
    return puts;
  }

  /** Returns what each round gave; empty if it was not measured. */
  public List<PeerAnswer> answers(String name) {
    return List.copyOf(answers.getOrDefault(name, List.of()));
  }

  /** Returns the names of what was measured in rounds. */
  public List<String> measured() {
    return List.copyOf(answers.keySet());
  }

  /** Returns a figure that was taken once. */
  public OptionalDouble figure(String name) {
    Double found = figures.get(name);
    return found == null ? OptionalDouble.empty() : OptionalDouble.of(found);
  }

  /** Returns the first line that its JVM wrote to the error output, or nothing. */
  public String complaint() {
    return complaint;
  }
}
