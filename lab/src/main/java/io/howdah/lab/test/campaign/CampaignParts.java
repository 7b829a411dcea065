package io.howdah.lab.test.campaign;

import io.howdah.crashtest.planted.PlantedBugs;
import io.howdah.crashtest.scenario.Scenarios;
import io.howdah.lab.fuzz.FuzzTargets;
import io.howdah.lab.run.SourcesOption;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/**
 * Which commands a campaign runs, and for how long. Each has a share of the time. A command that
 * counts runs instead of seconds gets as many as fit in, by the rates of a slow machine with two
 * processors.
 */
final class CampaignParts {

  private static final double SECONDS_PER_KILL = 1.5;
  private static final double SECONDS_PER_SERVER_KILL = 2.5;
  private static final double SECONDS_PER_CUT = 4;
  private static final double SECONDS_PER_BUG = 15;
  private static final double SECONDS_PER_FAULT = 0.4;

  /** From here on, the share of the unit tests is a good part of the half hour that they take. */
  private static final double UNIT_TESTS_FROM_SECONDS = 6 * 3600;

  /** All faults of all workloads. */
  private static final int FAULTS = 36_000;

  private static final int MIN_SECONDS = 5;

  private final long seed;
  private final double total;
  private final Path root;
  private final Path state;
  private final List<Share> shares = new ArrayList<>();

  private CampaignParts(long seed, double total, Path root, Path state) {
    this.seed = seed;
    this.total = total;
    this.root = root;
    this.state = state;
  }

  /** What a command is, once its seconds are known. */
  private interface Arguments {
    List<String> of(long seconds);
  }

  private record Share(String name, double share, Arguments arguments, Optional<String> whyNot) {}

  /**
   * Returns the commands in the order in which they run: those that find most in little time first.
   *
   * @param seconds of all together
   * @param root the project's folder, for the commands that need the sources
   * @param state folder for what commands keep to go on later
   */
  static List<CampaignPart> of(long seed, double seconds, Path root, Path state) {
    CampaignParts parts = new CampaignParts(seed, seconds, root, state);
    parts.addSimulations();
    parts.addProcesses();
    parts.addTestsOfTests();
    parts.addUnitTests();
    parts.add(
        "soak",
        14,
        s -> parts.seeded("soak", "--for", s + "s", "--out", state.resolve("soak").toString()));
    return parts.parts();
  }

  private void addSimulations() {
    add("scenarios", 10, s -> timed(perScenario(s), "explore"));
    add("workloads-1", 3, s -> timed(s, "explore", "--length", "1", "--points", "16"));
    add("workloads-2", 8, s -> workloads(2, s));
    add("workloads-3", 6, s -> workloads(3, s));
    add("faults", 8, s -> timed(s, "faults", "--every", Long.toString(everyFault(s))));
    add("shortage-stack", 3, s -> timed(s, "shortage", "--of", "STACK", "--operations", "1000000"));
    add(
        "shortage-memory",
        3,
        s -> timed(s, "shortage", "--of", "MEMORY", "--operations", "1000000"));
    add("histories", 6, s -> timed(s, "histories"));
    Optional<String> noJazzer = tool("jazzer");
    for (String target : FuzzTargets.names()) {
      add("fuzz-" + target, 2, s -> timed(s, "fuzz", target), noJazzer);
    }
  }

  private void addProcesses() {
    add("kill", 8, s -> seeded("kill", "--runs", times(s, SECONDS_PER_KILL)));
    add("cache", 4, s -> timed(s, "cache", "--operations", "100000000"));
    add("serve-kill", 4, s -> seeded("serve-kill", "--kills", times(s, SECONDS_PER_SERVER_KILL)));
    for (String kind : List.of("EXT4", "XFS", "SIMULATED")) {
      add(
          "power-" + kind.toLowerCase(Locale.ROOT),
          4,
          s -> seeded("power", "--file-system", kind, "--runs", times(s, SECONDS_PER_CUT)));
    }
  }

  private void addTestsOfTests() {
    Optional<String> noSources = sources();
    add("planted", 9, this::planted, noSources);
    add(
        "mutate",
        4,
        s ->
            List.of(
                "mutate",
                "--module",
                "log",
                "--classes",
                "io.howdah.log.recovery.*",
                // To measure those of store, too, would take all the time that the part has.
                "--tests",
                "io.howdah.log.*",
                "--seconds",
                Long.toString(s)),
        noSources.or(() -> tool("pitest")));
  }

  /** All or none: Maven cannot say how much of them fits into a time. */
  private void addUnitTests() {
    Optional<String> noTime =
        total < UNIT_TESTS_FROM_SECONDS
            ? Optional.of("for campaigns of 6 hours and more: they take half an hour")
            : Optional.empty();
    double share = noTime.isPresent() ? 0 : 6;
    add(
        "units",
        share,
        _ -> List.of("units", "--sources", root.toString()),
        noTime.or(this::sources));
  }

  private Optional<String> sources() {
    return SourcesOption.hasSources(root)
        ? Optional.empty()
        : Optional.of("the project's sources are not in " + root.toAbsolutePath().normalize());
  }

  private void add(String name, double share, Arguments arguments) {
    add(name, share, arguments, Optional.empty());
  }

  private void add(String name, double share, Arguments arguments, Optional<String> whyNot) {
    shares.add(new Share(name, share, arguments, whyNot));
  }

  private List<CampaignPart> parts() {
    double sum = shares.stream().mapToDouble(Share::share).sum();
    List<CampaignPart> parts = new ArrayList<>();
    for (Share share : shares) {
      long seconds = Math.max(MIN_SECONDS, Math.round(total * share.share / sum));
      List<String> arguments = new ArrayList<>(List.of("test"));
      if (share.whyNot.isEmpty()) {
        arguments.addAll(share.arguments.of(seconds));
      }
      parts.add(new CampaignPart(share.name, seconds, arguments, share.whyNot));
    }
    return parts;
  }

  private List<String> seeded(String... command) {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(List.of("--seed", Long.toString(seed)));
    return arguments;
  }

  private List<String> timed(long seconds, String... command) {
    List<String> arguments = seeded(command);
    arguments.addAll(List.of("--seconds", Long.toString(seconds)));
    return arguments;
  }

  private List<String> workloads(int length, long seconds) {
    return timed(
        seconds,
        "explore",
        "--length",
        Integer.toString(length),
        "--resume",
        state.resolve("workloads-" + length).toString());
  }

  private static long perScenario(long seconds) {
    return Math.max(1, seconds / Scenarios.all().size());
  }

  /** Faults are spread over all workloads. */
  private static long everyFault(long seconds) {
    return Math.max(1, Math.round(FAULTS * SECONDS_PER_FAULT / seconds));
  }

  private static String times(long seconds, double each) {
    return Long.toString(Math.max(1, Math.round(seconds / each)));
  }

  /** Bugs drawn by the seed; all if there is time. */
  private List<String> planted(long seconds) {
    List<String> bugs;
    try (PlantedBugs all = new PlantedBugs(root, 1, seed)) {
      bugs = new ArrayList<>(all.names());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Collections.shuffle(bugs, new Random(seed));
    List<String> arguments = seeded("planted", "--sources", root.toString());
    long count = Math.max(1, Math.round(seconds / SECONDS_PER_BUG));
    arguments.addAll(bugs.subList(0, (int) Math.min(bugs.size(), count)));
    return arguments;
  }

  /** Returns why a testing tool is not there. */
  private Optional<String> tool(String name) {
    if (Files.isDirectory(root.resolve("target").resolve(name))) {
      return Optional.empty();
    }
    String path = System.getenv().getOrDefault("PATH", "");
    for (String folder : path.split(File.pathSeparator, -1)) {
      if (Files.isExecutable(Path.of(folder, "mvn"))) {
        return Optional.empty();
      }
    }
    return Optional.of(name + " is not in target/" + name + ", and Maven is not there to fetch it");
  }
}
