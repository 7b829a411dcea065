package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.Transfers;
import io.howdah.jmh.workload.Transfers.Figures;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** Many virtual threads that never pause: whether each of them has its turn, and at what cost. */
public final class TurnsStudy implements AutoCloseable {

  private static final int WARM_UPS = 2;
  private static final long MAX_SIZE = 64L << 20;

  private final Store store;
  private final Transfers transfers;
  private final Effort effort;
  private final int threads;
  private final RawDisk disk;
  private final List<Double> forces = new ArrayList<>();

  /** What the threads do. */
  public enum Subject {
    /** As many threads as there are processors; each of them has one. */
    FEW(Durability.ASYNC, false),
    MANY(Durability.ASYNC, false),
    ACCOMPANIED(Durability.ASYNC, true),
    SYNC(Durability.SYNC, false);

    private final Durability durability;
    private final boolean isAccompanied;

    Subject(Durability durability, boolean isAccompanied) {
      this.durability = durability;
      this.isAccompanied = isAccompanied;
    }
  }

  /** What a subject scored, round by round. */
  public record Result(Subject subject, int threads, List<Figures> rounds) {

    /** Returns one of the figures of all rounds. */
    public List<Double> all(ToDoubleFunction<Figures> figure) {
      return rounds.stream().map(figure::applyAsDouble).toList();
    }
  }

  /** Creates the store. */
  public TurnsStudy(Path folder, int threads, Effort effort) throws IOException {
    this.threads = threads;
    this.effort = effort;
    this.store = Store.open(folder, StoreOptions.defaults().withMaxSize(MAX_SIZE));
    try {
      this.transfers = Transfers.create(store);
      this.disk = RawDisk.create(Objects.requireNonNull(folder.toAbsolutePath().getParent()));
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Returns how many forces of one write a second the disk made, in each round. */
  public List<Double> forcesPerSecond() {
    return List.copyOf(forces);
  }

  /** Returns how much room on disk the study may take. */
  public static long neededBytes() {
    return 3 * MAX_SIZE + (4L << 30);
  }

  /** Runs all subjects in turns. */
  public List<Result> run(StudyProgress progress) throws Exception {
    List<Result> results = new ArrayList<>();
    Rounds rounds = new Rounds();
    for (Subject subject : Subject.values()) {
      int count = subject == Subject.FEW ? Runtime.getRuntime().availableProcessors() : threads;
      Result result = new Result(subject, count, new ArrayList<>());
      results.add(result);
      TxOptions how = TxOptions.defaults().withDurability(subject.durability);
      rounds.add(
          subject.name(),
          () -> {
            Figures figures = transfers.run(how, count, subject.isAccompanied, effort.roundNanos());
            result.rounds().add(figures);
            return figures.perSecond();
          });
    }
    rounds.add(
        "raw force",
        () -> {
          forces.add(disk.forcesPerSecond(effort.roundNanos()));
          return forces.getLast();
        });
    rounds.mirrored().run(WARM_UPS, effort.rounds(), progress.rounds("turns"));
    for (Result result : results) {
      result.rounds().subList(0, WARM_UPS).clear();
    }
    forces.subList(0, WARM_UPS).clear();
    return results;
  }

  @Override
  public void close() throws IOException {
    try (store) {
      disk.close();
    }
  }
}
