package io.howdah.lab.bench;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsFile;
import io.howdah.jmh.peers.PeerKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What {@code howdah bench peers} has found, in this run or in one that was kept.
 *
 * @param file the figures
 */
record PeersResult(MetricsFile file) {

  /** Returns the stores that were loaded, in the order of their turns. */
  List<PeerKind> kinds() {
    return Stream.of(PeerKind.values())
        .filter(kind -> !file.find("peers.load.perSec", of(kind)).isEmpty())
        .toList();
  }

  /** Returns how many threads the synchronous commits had, ascending. */
  List<Integer> syncThreads() {
    return file.find("peers.putSync.perSec", Map.of()).stream()
        .map(metric -> ((Number) metric.params().getOrDefault("threads", 1)).intValue())
        .distinct()
        .sorted()
        .toList();
  }

  /** Returns a number that the whole run was given; 0 if there is none. */
  long number(String param) {
    return file.params().get(param) instanceof Number number ? number.longValue() : 0;
  }

  /**
   * Returns operations a second.
   *
   * @param name the operation as the findings have it
   * @return NaN if it was not measured
   */
  double rate(PeerKind kind, String name) {
    return ofOperation("perSec", kind, name).map(Metric::value).orElse(Double.NaN);
  }

  /** Returns the processor time of an operation in nanoseconds; NaN if it was not measured. */
  double processorNanos(PeerKind kind, String name) {
    return ofOperation("cpuNanos", kind, name).map(Metric::value).orElse(Double.NaN);
  }

  private Optional<Metric> ofOperation(String figure, PeerKind kind, String name) {
    PeerOperation operation = PeerOperation.of(name);
    Map<String, Object> wanted = new LinkedHashMap<>(of(kind));
    if (operation.getShare() >= 0) {
      wanted.put("getShare", operation.getShare());
    }
    if (operation.syncThreads() > 0) {
      wanted.put("threads", operation.syncThreads());
    }
    return file.find("peers." + operation.metric() + "." + figure, wanted).stream().findFirst();
  }

  /**
   * Returns a figure of a store.
   *
   * @param name without {@code peers.}
   * @return NaN if it was not measured
   */
  double figure(PeerKind kind, String name) {
    return file.find("peers." + name, of(kind)).stream()
        .findFirst()
        .map(Metric::value)
        .orElse(Double.NaN);
  }

  private static Map<String, Object> of(PeerKind kind) {
    return Map.of("store", kind.text());
  }

  /** Returns a number of threads in words. */
  static String threads(long count) {
    return count == 1 ? "1 thread" : count + " threads";
  }
}
