package io.howdah.jmh.peers;

import io.howdah.jmh.study.Folders;
import io.howdah.jmh.study.StudyProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Opens stores in new JVMs and reads an entry, after a close and after a kill, with and without a
 * cache of the JVM's classes. The stores take turns. For one thread.
 */
public final class OpeningStudy {

  /** Commits that nothing waits for, before each kill. */
  private static final int MARKS = 100;

  private static final int BATCH = 100;
  private static final int HEAP_MEGABYTES = 256;
  private static final int WARM_UPS = 1;

  private final PeerSize size;
  private final Path folder;
  private final String classPath;
  private final StudyProgress progress;
  private final Map<PeerKind, Map<Case, List<PeerAnswer>>> answers = new EnumMap<>(PeerKind.class);
  private final Map<PeerKind, String> absent = new EnumMap<>(PeerKind.class);

  /** What an opening finds, and what its JVM has. */
  public enum Case {
    CLOSED(false, false),
    KILLED(true, false),
    /** With the classes in a file that an earlier run has made ({@code -XX:AOTCache}). */
    CLOSED_CACHED(false, true),
    KILLED_CACHED(true, true);

    private final boolean isKilled;
    private final boolean isCached;

    Case(boolean isKilled, boolean isCached) {
      this.isKilled = isKilled;
      this.isCached = isCached;
    }

    /** Returns whether the process before was killed, with commits that nothing waited for. */
    public boolean isKilled() {
      return isKilled;
    }

    /** Returns whether the JVM takes its classes from a file that was made for it. */
    public boolean isCached() {
      return isCached;
    }
  }

  /**
   * What was found.
   *
   * @param answers of each store, an opening and a get in each; the rounds of all stores and cases
   *     correspond
   * @param absent stores that failed, with the reason
   */
  public record Result(
      Map<PeerKind, Map<Case, List<PeerAnswer>>> answers, Map<PeerKind, String> absent) {}

  private OpeningStudy(PeerSize size, Path folder, String classPath, StudyProgress progress) {
    this.size = size;
    this.folder = folder;
    this.classPath = classPath;
    this.progress = progress;
  }

  /**
   * Runs.
   *
   * @param kinds stores with files
   * @param folder for the stores
   * @param classPath of jars, of the module {@code peers} and what it needs
   */
  public static Result run(
      List<PeerKind> kinds,
      PeerSize size,
      int rounds,
      Path folder,
      String classPath,
      StudyProgress progress)
      throws Exception {
    OpeningStudy study = new OpeningStudy(size, folder, classPath, progress);
    for (PeerKind kind : kinds) {
      study.answers.put(kind, new EnumMap<>(Case.class));
      study.step(kind, "loading", study::prepare);
    }
    for (int round = -WARM_UPS; round < rounds; round++) {
      for (Case each : Case.values()) {
        for (PeerKind kind : kinds) {
          boolean counts = round >= 0;
          study.step(
              kind,
              "round %d of %d, opening".formatted(Math.max(1, round + 1), rounds),
              one -> {
                PeerAnswer answer = study.open(one, each);
                if (counts) {
                  study.of(one).computeIfAbsent(each, _ -> new ArrayList<>()).add(answer);
                }
              });
        }
      }
    }
    for (PeerKind kind : kinds) {
      Folders.delete(study.store(kind));
    }
    return new Result(
        Collections.unmodifiableMap(study.answers), Collections.unmodifiableMap(study.absent));
  }

  @FunctionalInterface
  private interface Step {
    void with(PeerKind kind) throws Exception;
  }

  private void step(PeerKind kind, String what, Step step) throws Exception {
    if (absent.containsKey(kind)) {
      return;
    }
    progress.begins(what + " " + kind.text());
    try {
      step.with(kind);
    } catch (PeerFailedException e) {
      absent.put(kind, String.valueOf(e.getMessage()));
      answers.remove(kind);
    }
  }

  private Map<Case, List<PeerAnswer>> of(PeerKind kind) {
    return answers.computeIfAbsent(kind, _ -> new EnumMap<>(Case.class));
  }

  /** Loads a store, and has a run that opens it after a kill make the cache. */
  private void prepare(PeerKind kind) throws Exception {
    Files.createDirectories(store(kind));
    try (PeerProcess process = start(kind, List.of())) {
      process.open(store(kind), false, size);
      process.load(0, size.entries(), BATCH);
      process.closeStore();
    }
    kill(kind, List.of());
    try (PeerProcess process = start(kind, List.of("-XX:AOTCacheOutput=" + cache(kind)))) {
      process.open(store(kind), false, size);
      process.closeStore();
      process.end();
    }
    if (!Files.exists(cache(kind))) {
      throw new PeerFailedException(kind.text() + ": its JVM has made no cache of its classes");
    }
  }

  private void kill(PeerKind kind, List<String> flags) throws Exception {
    try (PeerProcess process = start(kind, flags)) {
      process.open(store(kind), false, size);
      process.mark(MARKS);
      process.kill();
    }
  }

  private PeerAnswer open(PeerKind kind, Case which) throws Exception {
    List<String> flags = which.isCached ? List.of("-XX:AOTCache=" + cache(kind)) : List.of();
    if (which.isKilled) {
      kill(kind, flags);
    }
    try (PeerProcess process = start(kind, flags)) {
      PeerAnswer answer = process.open(store(kind), false, size);
      process.closeStore();
      return answer;
    }
  }

  private PeerProcess start(PeerKind kind, List<String> flags) throws IOException {
    return PeerProcess.start(
        kind, classPath, HEAP_MEGABYTES, folder.resolve(kind.name() + ".err"), flags);
  }

  private Path store(PeerKind kind) {
    return folder.resolve(kind.name());
  }

  private Path cache(PeerKind kind) {
    return folder.resolve(kind.name() + ".aot");
  }
}
