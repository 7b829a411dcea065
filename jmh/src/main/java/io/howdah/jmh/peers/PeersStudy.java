package io.howdah.jmh.peers;

import io.howdah.jmh.study.DiskUsage;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Loads the same entries into every store, runs the same workloads in turns, kills and reopens
 * them. A store that cannot be opened or fails is left out from there on, with its reason. For one
 * thread.
 */
public final class PeersStudy {

  /**
   * Rounds that a store runs before its synchronous commits are measured: these are few in a
   * second, so it takes seconds until a JVM has compiled their code.
   */
  private static final int WARM_UP_ROUNDS = 8;

  private static final int WARM_UPS = 1;

  /** Entries of one request: seconds of the slowest store; a whole number of transactions. */
  private static final long LOAD_PIECE = 100_000;

  /** Marked entries that may be lost by a kill. */
  private static final int MARKS = 1000;

  private final PeersPlan plan;
  private final Path folder;
  private final String classPath;
  private final StudyProgress progress;
  private final Map<PeerKind, PeerProcess> running = new EnumMap<>(PeerKind.class);
  private final Map<PeerKind, PeerFindings> findings = new EnumMap<>(PeerKind.class);
  private final Map<PeerKind, String> absent = new EnumMap<>(PeerKind.class);
  private final List<Double> forces = new ArrayList<>();

  private PeersStudy(PeersPlan plan, Path folder, String classPath, StudyProgress progress) {
    this.plan = plan;
    this.folder = folder;
    this.classPath = classPath;
    this.progress = progress;
  }

  /**
   * What was found.
   *
   * @param peers by kind; those that failed midway have what was found before
   * @param absent why a store is missing, or from where on
   * @param forcesPerSecond small raw writes, each forced: the baseline of synchronous commits
   */
  public record Result(
      Map<PeerKind, PeerFindings> peers,
      Map<PeerKind, String> absent,
      List<Double> forcesPerSecond) {}

  /**
   * Runs the plan.
   *
   * @param folder for the stores; their folders are removed
   * @param classPath of the module {@code peers} and what it needs
   */
  public static Result run(PeersPlan plan, Path folder, String classPath, StudyProgress progress)
      throws Exception {
    Files.createDirectories(folder);
    PeersStudy study = new PeersStudy(plan, folder, classPath, progress);
    try {
      study.asynchronous();
      study.bulk();
      study.reopen();
      study.synchronous();
    } finally {
      study.stop();
    }
    return new Result(
        Map.copyOf(study.findings), Map.copyOf(study.absent), List.copyOf(study.forces));
  }

  /** Something that is done with one store. */
  @FunctionalInterface
  private interface Step {
    void with(PeerKind kind, PeerProcess process) throws Exception;
  }

  private void asynchronous() throws Exception {
    for (PeerKind kind : plan.kinds()) {
      findings.put(kind, new PeerFindings());
      begin(kind, false);
    }
    load();
    each(
        "heap",
        (kind, process) ->
            findings(kind).set(PeerFindings.HEAP_BYTES, (double) process.heapBytes()));
    for (PeerWorkload workload : PeerWorkload.values()) {
      rounds(workload, plan.threads(), workload.name());
    }
    each("closing", this::closeAndWeigh);
    stop();
  }

  private void begin(PeerKind kind, boolean sync) throws Exception {
    progress.begins("starting " + kind.text());
    try {
      PeerProcess process = process(kind);
      running.put(kind, process);
      process.open(folder(kind, sync), sync, sync ? plan.syncSize() : plan.size());
    } catch (PeerFailedException e) {
      drop(kind, e);
    }
  }

  private PeerProcess process(PeerKind kind) throws IOException {
    Path errors = folder.resolve(kind.name() + ".err");
    int heap = PeerNeeds.heapMegabytes(kind, plan.size(), plan.heapMegabytes());
    return PeerProcess.start(kind, classPath, heap, errors);
  }

  private Path folder(PeerKind kind, boolean sync) throws IOException {
    Path path = folder.resolve(kind.name() + (sync ? "-sync" : "-async"));
    Files.createDirectories(path);
    return path;
  }

  /**
   * Each round loads a part, so that the stores take turns and each part is one sample. A part goes
   * to the store in pieces, since a slow one takes minutes for millions of entries.
   */
  private void load() throws Exception {
    long entries = plan.size().entries();
    long loaded = 0;
    int parts = plan.effort().rounds();
    for (int part = 1; part <= parts; part++) {
      long until = entries * part / parts;
      long from = loaded;
      each(
          "loading",
          (kind, process) -> {
            PeerAnswer answer = new PeerAnswer(0, 0, 0);
            for (long first = from; first < until; first += LOAD_PIECE) {
              progress.begins(
                  "loading %s: %,d of %,d entries".formatted(kind.text(), first, entries));
              long count = Math.min(LOAD_PIECE, until - first);
              answer = answer.plus(process.load(first, count, plan.batch()));
            }
            findings(kind).add("LOAD", answer);
            findings(kind).wrote((double) answer.operations());
          });
      loaded = until;
    }
  }

  /** Loads as many entries into new stores, in the order of their keys. */
  private void bulk() throws Exception {
    for (PeerKind kind : plan.kinds()) {
      if (kind.bulkLoad().isPresent() && !absent.containsKey(kind)) {
        progress.begins("starting " + kind.text());
        try {
          PeerProcess process = process(kind);
          running.put(kind, process);
          process.open(bulkFolder(kind), false, plan.size());
        } catch (PeerFailedException e) {
          drop(kind, e);
        }
      }
    }
    long entries = plan.size().entries();
    int parts = plan.effort().rounds();
    for (int part = 0; part < parts; part++) {
      long from = entries * part / parts;
      long until = entries * (part + 1) / parts;
      each(
          "bulk load",
          (kind, process) -> {
            PeerAnswer answer = new PeerAnswer(0, 0, 0);
            for (long first = from; first < until; first += LOAD_PIECE) {
              answer = answer.plus(process.bulk(first, Math.min(LOAD_PIECE, until - first)));
            }
            findings(kind).add(PeerFindings.BULK, answer);
          });
    }
    each("closing", (_, process) -> process.closeStore());
    stop();
    for (PeerKind kind : plan.kinds()) {
      Folders.delete(bulkPath(folder, kind));
    }
  }

  private Path bulkFolder(PeerKind kind) throws IOException {
    return Files.createDirectories(bulkPath(folder, kind));
  }

  private static Path bulkPath(Path folder, PeerKind kind) {
    return folder.resolve(kind.name() + "-bulk");
  }

  private void rounds(PeerWorkload workload, int threads, String name) throws Exception {
    for (int round = -WARM_UPS; round < plan.effort().rounds(); round++) {
      boolean counts = round >= 0;
      each(
          workload.text(),
          (kind, process) -> {
            if (!kind.runs(workload)) {
              return;
            }
            PeerAnswer answer = process.run(workload, threads, plan.effort().roundNanos());
            findings(kind).wrote(answer.operations() * workload.puts());
            if (counts) {
              findings(kind).add(name, answer);
            }
          });
    }
  }

  private void closeAndWeigh(PeerKind kind, PeerProcess process) throws Exception {
    findings(kind).add("CLOSE", process.closeStore());
    if (kind.isInMemory()) {
      return;
    }
    double given = findings(kind).puts() * (double) plan.size().entryBytes();
    findings(kind).set(PeerFindings.WRITE_AMPLIFICATION, process.writtenBytes() / given);
    findings(kind)
        .set(
            PeerFindings.DISK_OVER_DATA,
            (double) DiskUsage.bytes(folder(kind, false)) / plan.size().bytes());
  }

  /** Opens a closed store, kills it while it has commits that nobody waited for, opens it again. */
  private void reopen() throws Exception {
    for (int round = 0; round < plan.effort().rounds(); round++) {
      for (PeerKind kind : plan.kinds()) {
        if (!kind.isInMemory() && !absent.containsKey(kind)) {
          progress.begins("opening %s, round %d".formatted(kind.text(), round + 1));
          try {
            reopen(kind);
          } catch (PeerFailedException e) {
            drop(kind, e);
          }
        }
      }
    }
  }

  private void reopen(PeerKind kind) throws Exception {
    try (PeerProcess first = process(kind)) {
      findings(kind).add("OPEN", first.open(folder(kind, false), false, plan.size()));
      first.mark(MARKS);
      first.kill();
    }
    try (PeerProcess second = process(kind)) {
      findings(kind).add("OPEN_KILLED", second.open(folder(kind, false), false, plan.size()));
      long found = second.marks(MARKS);
      findings(kind).worst(PeerFindings.LOST_BY_A_KILL, (double) (MARKS - found) / MARKS);
      second.closeStore();
    }
  }

  private void synchronous() throws Exception {
    for (PeerKind kind : plan.kinds()) {
      if (kind.hasSyncCommits() && !absent.containsKey(kind)) {
        begin(kind, true);
      }
    }
    long entries = plan.syncSize().entries();
    each("loading", (_, process) -> process.load(0, entries, (int) entries));
    long warmUpNanos = WARM_UP_ROUNDS * plan.effort().roundNanos();
    each(
        "warming up for synchronous commits",
        (_, process) -> process.run(PeerWorkload.PUT, 1, warmUpNanos));
    try (RawDisk disk = RawDisk.create(folder)) {
      for (int threads : plan.syncThreads()) {
        for (int round = -WARM_UPS; round < plan.effort().rounds(); round++) {
          boolean counts = round >= 0;
          double rate = disk.forcesPerSecond(plan.effort().roundNanos());
          if (counts) {
            forces.add(rate);
          }
          each(
              "synchronous commits, %d threads".formatted(threads),
              (kind, process) -> {
                PeerAnswer answer =
                    process.run(PeerWorkload.PUT, threads, plan.effort().roundNanos());
                if (counts) {
                  findings(kind).add(PeerFindings.sync(threads), answer);
                }
              });
        }
      }
    }
    each("closing", (_, process) -> process.closeStore());
  }

  private void each(String what, Step step) throws Exception {
    int done = 0;
    Rounds.Progress show = progress.rounds(what);
    int steps = running.size();
    for (PeerKind kind : plan.kinds()) {
      PeerProcess process = running.get(kind);
      if (process == null) {
        continue;
      }
      show.next(done++, steps, kind.text());
      try {
        step.with(kind, process);
      } catch (PeerFailedException e) {
        drop(kind, e);
      }
    }
  }

  private PeerFindings findings(PeerKind kind) {
    return findings.computeIfAbsent(kind, _ -> new PeerFindings());
  }

  private void drop(PeerKind kind, PeerFailedException reason) throws IOException {
    absent.put(kind, String.valueOf(reason.getMessage()));
    PeerProcess process = running.remove(kind);
    if (process != null) {
      process.close();
    }
  }

  private void stop() throws IOException {
    for (Map.Entry<PeerKind, PeerProcess> each : running.entrySet()) {
      String complaints = each.getValue().complaints();
      each.getValue().close();
      PeerFindings found = findings.get(each.getKey());
      if (found != null && !complaints.isEmpty()) {
        found.complaint(complaints.lines().findFirst().orElse(""));
      }
    }
    running.clear();
  }

  /** Removes what a run left. */
  public static void clean(Path folder) throws IOException {
    for (PeerKind kind : PeerKind.values()) {
      Folders.delete(folder.resolve(kind.name() + "-async"));
      Folders.delete(folder.resolve(kind.name() + "-sync"));
      Folders.delete(bulkPath(folder, kind));
      Files.deleteIfExists(folder.resolve(kind.name() + ".err"));
    }
  }
}
