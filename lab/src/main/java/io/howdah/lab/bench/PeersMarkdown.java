package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.count;
import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.jmh.peers.PeerFindings;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerWorkload;
import io.howdah.jmh.peers.PeersRanking;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** The parts of documents that follow from the figures of {@code howdah bench peers}. */
final class PeersMarkdown {

  private static final String ABSENT = "-";
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("d MMMM uuuu", Locale.ENGLISH);

  private final PeersResult found;
  private final List<Row> rows = new ArrayList<>();

  /** One comparison with the fastest other store. */
  private record Row(PeersRanking.Operation operation, PeerKind fastest, Metric ratio) {

    /** Returns whether the median reaches the goal; empty without a goal. */
    Optional<Boolean> isMet() {
      OptionalDouble goal = operation.goal();
      return goal.isEmpty() ? Optional.empty() : Optional.of(ratio.value() >= goal.getAsDouble());
    }
  }

  PeersMarkdown(PeersResult found) {
    this.found = found;
    for (PeersRanking.Operation operation : PeersRanking.operations(found.syncThreads())) {
      found.file().find("peers." + operation.metric() + ".overFastest", Map.of()).stream()
          .findFirst()
          .ifPresent(metric -> rows.add(new Row(operation, fastest(metric), metric)));
    }
  }

  private static PeerKind fastest(Metric ratio) {
    return Stream.of(PeerKind.values())
        .filter(kind -> kind.text().equals(ratio.params().get("store")))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no store of " + ratio));
  }

  /** Returns all parts, each with a title. */
  String text() {
    StringBuilder text = new StringBuilder();
    parts().forEach((title, part) -> text.append("# ").append(title).append("\n\n").append(part));
    return text.toString();
  }

  /** Returns the parts by where they belong; each ends with an empty line. */
  Map<String, String> parts() {
    Map<String, String> parts = new LinkedHashMap<>();
    parts.put("README: setting", setting());
    parts.put("README: table", beside());
    parts.put("README: conclusion", conclusion());
    parts.put("benchmarks.md: summary", summary());
    parts.put("benchmarks.md: over the fastest other store", overFastest());
    parts.put("benchmarks.md: rates", rates());
    parts.put("benchmarks.md: processor time of an operation", processorTimes());
    parts.put("benchmarks.md: opening after a kill", openings());
    parts.put("benchmarks.md: forced commits, space and openings", commitsAndSpace());
    return parts;
  }

  private String setting() {
    return """
        %s, %s unless the row says otherwise, %d processors; medians of %d rounds of %s%s.

        """
        .formatted(
            size(),
            PeersResult.threads(found.number("threads")),
            found.file().cores(),
            found.number("rounds"),
            DATE.format(found.file().started().atZone(ZoneOffset.UTC)),
            found.file().noisy() ? ", *noisy*" : "");
  }

  private String size() {
    String keys =
        "STRING".equals(found.file().params().get("keys")) ? ", keys of 20 characters" : "";
    return "%s entries of %d bytes%s"
        .formatted(count(found.number("entries")), found.number("valueBytes"), keys);
  }

  private String beside() {
    Lines lines = new Lines("operation", "Howdah", "the fastest other", "ratio");
    for (Row row : rows) {
      double median = row.ratio().value();
      lines.add(
          row.operation().text(),
          rate(found.rate(PeerKind.HOWDAH, row.operation().name())) + "/s",
          "%s, %s/s"
              .formatted(
                  row.fastest().text(), rate(found.rate(row.fastest(), row.operation().name()))),
          median > 1 ? "**" + ratio(median) + "**" : ratio(median));
    }
    return lines.text();
  }

  /** A round decides nothing alone: what is said holds in every one. */
  private String conclusion() {
    List<String> faster = new ArrayList<>();
    List<String> slower = new ArrayList<>();
    List<String> open = new ArrayList<>();
    for (Row row : rows) {
      String text = row.operation().text();
      if (row.ratio().min() > 1) {
        faster.add(text);
      } else if (row.ratio().max() < 1) {
        slower.add("%s (%s)".formatted(text, row.fastest().text()));
      } else {
        open.add(text);
      }
    }
    return Stream.of(
                sentence("Howdah was faster in every round: ", faster),
                sentence("Another store was faster in every round: ", slower),
                sentence("Rounds differ: ", open))
            .flatMap(Optional::stream)
            .reduce((one, next) -> one + "\n" + next)
            .orElse("")
        + "\n\n";
  }

  private static Optional<String> sentence(String begin, List<String> what) {
    return what.isEmpty()
        ? Optional.empty()
        : Optional.of("- " + begin + String.join("; ", what) + ".");
  }

  private String summary() {
    List<String> met = new ArrayList<>();
    List<String> missed = new ArrayList<>();
    for (Row row : rows) {
      row.isMet().ifPresent(isMet -> (isMet ? met : missed).add(row.operation().text()));
    }
    fastestOpening()
        .ifPresent(
            fastest -> {
              boolean isMet = opening(PeerKind.HOWDAH) <= opening(fastest);
              (isMet ? met : missed).add("opening after a kill");
            });
    return "| [other embedded stores](#other-embedded-stores) | %s | %s |\n\n"
        .formatted(String.join("; ", met), String.join("; ", missed));
  }

  private String overFastest() {
    Lines lines =
        new Lines(
            "operation, %s, %s".formatted(size(), PeersResult.threads(found.number("threads"))),
            "metric `peers.…`",
            "fastest other",
            "ratio",
            "goal",
            "");
    for (Row row : rows) {
      OptionalDouble goal = row.operation().goal();
      lines.add(
          row.operation().text(),
          "`%s.overFastest`".formatted(row.operation().metric()),
          row.fastest().text(),
          "%s (%s … %s)"
              .formatted(
                  ratio(row.ratio().value()), ratio(row.ratio().min()), ratio(row.ratio().max())),
          goal.isEmpty() ? "" : number(goal.getAsDouble()),
          row.isMet().map(isMet -> isMet ? "met" : "**missed**").orElse(""));
    }
    return lines.text();
  }

  private String rates() {
    List<String> head = new ArrayList<>(List.of("", "survives", "load, entries"));
    if (hasBulkLoads()) {
      head.add("bulk load, entries");
    }
    head.addAll(List.of("get", "scans of 100", "put", "8 puts", "50/50", "95/5"));
    Lines lines = new Lines(head.toArray(new String[0]));
    for (PeerKind kind : found.kinds()) {
      List<String> cells = new ArrayList<>(List.of(name(kind), survives(kind)));
      for (String operation : operations()) {
        double rate = found.rate(kind, operation);
        cells.add(Double.isNaN(rate) ? ABSENT : rate(rate));
      }
      lines.add(cells.toArray(new String[0]));
    }
    return lines.text();
  }

  private String processorTimes() {
    List<String> head = new ArrayList<>(List.of("", "load, an entry"));
    if (hasBulkLoads()) {
      head.add("bulk load, an entry");
    }
    head.addAll(List.of("get", "scan of 100", "put", "8 puts", "50/50", "95/5"));
    Lines lines = new Lines(head.toArray(new String[0]));
    for (PeerKind kind : found.kinds()) {
      List<String> cells = new ArrayList<>(List.of(name(kind)));
      for (String operation : operations()) {
        double nanos = found.processorNanos(kind, operation);
        cells.add(Double.isNaN(nanos) ? ABSENT : nanos(nanos));
      }
      lines.add(cells.toArray(new String[0]));
    }
    return lines.text();
  }

  /** Runs that were kept before there were bulk loads have none. */
  private boolean hasBulkLoads() {
    return found.kinds().stream()
        .anyMatch(kind -> !Double.isNaN(found.rate(kind, PeerFindings.BULK)));
  }

  private List<String> operations() {
    List<String> operations = new ArrayList<>(List.of("LOAD"));
    if (hasBulkLoads()) {
      operations.add(PeerFindings.BULK);
    }
    for (PeerWorkload workload : PeerWorkload.values()) {
      operations.add(workload.name());
    }
    return operations;
  }

  /** Returns the other store that opens fastest after a kill, if two were measured. */
  private Optional<PeerKind> fastestOpening() {
    if (Double.isNaN(opening(PeerKind.HOWDAH))) {
      return Optional.empty();
    }
    return found.kinds().stream()
        .filter(kind -> !kind.isHowdah() && !kind.isCeiling() && !Double.isNaN(opening(kind)))
        .min((one, other) -> Double.compare(opening(one), opening(other)));
  }

  private double opening(PeerKind kind) {
    return found.figure(kind, "reopenAfterKillMillis");
  }

  private String openings() {
    return fastestOpening()
        .map(
            fastest ->
                """
                After a kill, Howdah's sorted map opens in %s and the fastest other store, %s, in %s: %s.

                """
                    .formatted(
                        millis(opening(PeerKind.HOWDAH)),
                        fastest.text(),
                        millis(opening(fastest)),
                        opening(PeerKind.HOWDAH) <= opening(fastest) ? "met" : "**missed**"))
        .orElse("");
  }

  private String commitsAndSpace() {
    List<String> head = new ArrayList<>(List.of(""));
    found.syncThreads().forEach(threads -> head.add(PeersResult.threads(threads)));
    head.addAll(
        List.of(
            "lost by a kill", "disk/data", "written/put", "close", "open", "open after a kill"));
    Lines lines = new Lines(head.toArray(new String[0]));
    double force =
        found.file().find("baseline.force.perSec", Map.of()).stream()
            .findFirst()
            .map(Metric::value)
            .orElse(Double.NaN);
    for (PeerKind kind : found.kinds()) {
      if (kind.isInMemory()) {
        continue;
      }
      List<String> cells = new ArrayList<>(List.of(name(kind)));
      for (int threads : found.syncThreads()) {
        double rate = found.rate(kind, PeerFindings.sync(threads));
        cells.add(
            Double.isNaN(rate) ? ABSENT : "%s (%s)".formatted(rate(rate), ratio(rate / force)));
      }
      double lost = 100 * found.figure(kind, PeerFindings.LOST_BY_A_KILL);
      cells.add(Double.isNaN(lost) ? ABSENT : number(lost) + " %");
      cells.add(tenths(found.figure(kind, "diskBytesPerUserByte")));
      cells.add(tenths(found.figure(kind, PeerFindings.WRITE_AMPLIFICATION)));
      cells.add(millis(found.figure(kind, "closeMillis")));
      cells.add(millis(found.figure(kind, "reopenAfterCloseMillis")));
      cells.add(millis(opening(kind)));
      lines.add(cells.toArray(new String[0]));
    }
    return lines.text();
  }

  private static String name(PeerKind kind) {
    return switch (kind) {
      case HOWDAH -> "Howdah, `sortedMap`";
      case HOWDAH_HASH -> "Howdah, `map`";
      case CHRONICLE -> "*ceiling:* Chronicle Map";
      case HEAP -> "*ceiling:* skip list of the Java library";
      case HEAP_HASH -> "*ceiling:* hash map of the Java library";
      case MVSTORE, MAPDB, LMDB, ROCKSDB, XODUS, JE -> kind.text();
    };
  }

  private static String survives(PeerKind kind) {
    return switch (kind.async()) {
      case MEMORY -> "nothing";
      case PROCESS_KILL -> "a kill";
      case POWER_LOSS -> "a power loss";
    };
  }

  /** A whole number, or one with a tenth. */
  private static String number(double value) {
    return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.1f", value);
  }

  private static String tenths(double value) {
    return Double.isNaN(value) ? ABSENT : String.format(Locale.ROOT, "%.1f", value);
  }

  private static String millis(double value) {
    return Double.isNaN(value) ? ABSENT : String.format(Locale.ROOT, "%.0f ms", value);
  }

  /** A table. */
  private static final class Lines {
    private final StringBuilder text = new StringBuilder();

    Lines(String... head) {
      add(head);
      text.append("|---".repeat(head.length)).append("|\n");
    }

    void add(String... cells) {
      text.append('|');
      for (String cell : cells) {
        text.append(cell.isEmpty() ? " |" : " " + cell + " |");
      }
      text.append('\n');
    }

    String text() {
      return text + "\n";
    }
  }
}
