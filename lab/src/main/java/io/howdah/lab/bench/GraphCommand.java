package io.howdah.lab.bench;

import io.howdah.Store;
import io.howdah.cli.json.MetricsRun;
import io.howdah.jmh.workload.SocialGraph;
import io.howdah.jmh.workload.TransactionMix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench graph}: a social graph, mostly read, in every commit mode. */
@Command(
    name = "graph",
    mixinStandardHelpOptions = true,
    description =
        "People who follow each other, without a log and in the commit modes ASYNC, PARTITION and"
            + " SYNC: 90 %% of the transactions read, 5 %% change edges, 5 %% write posts. All take"
            + " turns in one process. At the end both directions of all edges, the counts and the"
            + " posts must agree.%n")
final class GraphCommand extends MixCommand {

  private static final int MAX_PEOPLE = 1 << 24;

  @Option(
      names = "--people",
      paramLabel = "N",
      defaultValue = "50000",
      description = "People, each of whom follows ten at first (${DEFAULT-VALUE}).")
  private int people;

  GraphCommand() {}

  @Override
  String prefix() {
    return "graph";
  }

  @Override
  String title() {
    return "Social graph: %,d people".formatted(people);
  }

  @Override
  long maxSize() {
    return SocialGraph.maxSize(require("--people", people, 2, MAX_PEOPLE));
  }

  @Override
  void describe(MetricsRun metrics) {
    metrics.param("people", people);
  }

  @Override
  TransactionMix fill(Store store) {
    return SocialGraph.fill(store, people);
  }
}
