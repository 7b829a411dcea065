package io.howdah.crashtest.kill;

import io.howdah.Store;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.crashtest.kill.Board.Phase;
import io.howdah.process.ChildJvm;
import io.howdah.process.EarlyEnd;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Fills a store with the cities, then lets one child JVM after another move people and kills it, in
 * the middle of transfers and some while they open the store. After each kill the next child
 * recovers the store and shows what it holds, and the {@link Ledger} judges that. There is no clean
 * close between the kills. At the end this JVM opens the store itself, twice, and judges again.
 *
 * <p>The first broken promise ends the run. For one thread.
 */
public final class CrashRun {

  /** One in this many rounds has a kill while the store is opened. */
  private static final int ROUNDS_PER_KILL_WHILE_OPENING = 4;

  private static final String BOARD = "board";
  private static final String OUTPUT = "child.log";

  /** Far longer than an opening: campaigns run at low priority beside others, seen to take 40 s. */
  private static final long OPEN_TIMEOUT_NANOS = 600_000_000_000L;

  private static final long POLL_NANOS = 200_000;

  private final CrashRunOptions options;

  /** How many of the judging openings have used the memory of the killed process. */
  private int attached;

  private final Progress progress;
  private final EarlyEnd early;
  private final Cities cities;
  private final Transfers transfers;
  private final Ledger ledger;
  private final SplittableRandom random;
  private final List<Round> rounds = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private int killsWhileOpening;
  private long longestOpenNanos = 1_000_000;

  private @Nullable ChildJvm child;

  /** Told what happens, on the thread that runs. */
  public interface Progress {

    /** Cities are put into the new store. */
    void loading(int loaded, int of);

    /** The store is filled. */
    void loaded(int cities, long people, long nanos);

    /** Transfers run. */
    void running(int round, String plan, long acknowledged);

    /** A kill was survived, or not: see {@link Round#verdict}. */
    void judged(Round round);
  }

  /**
   * What came out.
   *
   * @param rounds one for each kill under transfers that was judged
   * @param killsWhileOpening further kills, of children that opened the store
   * @param cities how many there are
   * @param people how many live in them
   * @param cleanOpenNanos how long opening took after a clean close; 0 if it did not come to that
   * @param violations every broken promise, in words
   * @param interrupted whether the run was asked to end before its last kill
   */
  public record Report(
      List<Round> rounds,
      int killsWhileOpening,
      int cities,
      long people,
      long cleanOpenNanos,
      List<String> violations,
      boolean interrupted) {

    /** Copies the lists. */
    public Report {
      rounds = List.copyOf(rounds);
      violations = List.copyOf(violations);
    }

    /** Returns how many transfers were acknowledged. */
    public long acknowledged() {
      return rounds.stream().mapToLong(round -> round.verdict().acknowledged()).sum();
    }

    /** Returns how many transfers were found again. */
    public long recovered() {
      return rounds.stream().mapToLong(round -> round.verdict().recovered()).sum();
    }

    /** Returns how many transfers were gone that were acknowledged, but not as durable. */
    public long dropped() {
      return rounds.stream().mapToLong(round -> round.verdict().dropped()).sum();
    }

    /** Returns how many transfers were not found again, although they were promised. */
    public long lost() {
      return rounds.stream().mapToLong(round -> round.verdict().lost()).sum();
    }
  }

  /**
   * What a child did until it was killed.
   *
   * @param number of the kill, from 1
   */
  private record Life(int number, String plan, long runNanos, int killsWhileOpening) {}

  /**
   * Prepares a run.
   *
   * @param early after it is asked, what has run until then is judged, and the run ends
   */
  public CrashRun(CrashRunOptions options, Progress progress, EarlyEnd early) {
    this.options = options;
    this.progress = progress;
    this.early = early;
    this.cities = Cities.load(options.cities());
    this.transfers =
        new Transfers(options.seed(), cities.count(), cities.largest(Transfers.BUSY_CITIES));
    this.ledger =
        new Ledger(cities, transfers, TransferChild.modeNames(), options.threads(), promised());
    this.random = new SplittableRandom(options.seed());
  }

  /** Returns the modes whose acknowledged commits outlive such a death. */
  private Set<String> promised() {
    Set<String> promised = new HashSet<>(TransferChild.modeNames());
    if (options.death().losesUnforced()) {
      promised.remove(TransferChild.nameOf(Durability.ASYNC));
    }
    return promised;
  }

  /** Runs to the end or to the first broken promise. */
  public Report run() throws IOException, InterruptedException {
    early.goFirst();
    fill();
    Path scratch = Files.createTempDirectory("howdah-crash-run");
    long cleanOpenNanos = 0;
    try (Board board = createBoard(scratch)) {
      Life last = killRepeatedly(board, scratch);
      if (last != null && judgeHere(board, last)) {
        cleanOpenNanos = judgeCleanOpening(board);
      }
    } finally {
      endChild();
      Files.deleteIfExists(scratch.resolve(BOARD));
      Files.deleteIfExists(scratch.resolve(OUTPUT));
      Files.delete(scratch);
    }
    return new Report(
        rounds,
        killsWhileOpening,
        cities.count(),
        cities.totalPopulation(),
        cleanOpenNanos,
        violations,
        early.isAsked());
  }

  private void fill() {
    long started = System.nanoTime();
    try (Store store = Store.open(options.store(), CityStore.options(options.backing()))) {
      CityStore.create(
          store,
          cities,
          TransferChild.MODES.size(),
          options.threads(),
          loaded -> progress.loading(loaded, cities.count()));
    }
    progress.loaded(cities.count(), cities.totalPopulation(), System.nanoTime() - started);
  }

  private Board createBoard(Path scratch) throws IOException {
    return Board.create(
        scratch.resolve(BOARD), TransferChild.MODES.size(), options.threads(), cities.count());
  }

  private void endChild() {
    ChildJvm running = child;
    if (running != null) {
      running.endGently();
      child = null;
    }
  }

  /**
   * Returns the last life, which nobody has judged yet, or null if a promise was broken, or if the
   * run was asked to end before there was a life.
   */
  private @Nullable Life killRepeatedly(Board board, Path scratch)
      throws IOException, InterruptedException {
    long[] runNanos = runNanos();
    Life life = null;
    for (int number = 1; number <= options.kills() && !early.isAsked(); number++) {
      RoundPlan plan = plan(number);
      ChildJvm started = startChild(board, plan, scratch);
      if (!recovers(board, started, number)) {
        return early.isAsked() ? life : null;
      }
      if (!judge(board, onBoard(board), life, board.openNanos(), board.redoRecords())) {
        return null;
      }
      long ran = runAndKill(board, started, plan, number, runNanos[number - 1]);
      if (!violations.isEmpty()) {
        return null;
      }
      options.sabotage().strike(options.store());
      life = new Life(number, plan.name(), ran, killWhileOpening(board, plan, scratch));
    }
    return life;
  }

  private RoundPlan plan(int number) {
    List<String> plans = options.plans();
    return RoundPlan.named(plans.get((number - 1) % plans.size()), options.threads());
  }

  private ChildJvm startChild(Board board, RoundPlan plan, Path scratch) throws IOException {
    board.reset();
    ChildJvm started =
        ChildJvm.start(
            options.death().prepare(),
            List.of(),
            TransferChild.class,
            TransferChild.arguments(
                options.store(),
                scratch.resolve(BOARD),
                options.seed(),
                cities,
                plan,
                options.sabotage() != Sabotage.FORCES,
                options.backing()),
            scratch.resolve(OUTPUT));
    early.goFirst();
    child = started;
    return started;
  }

  private boolean recovers(Board board, ChildJvm started, int number)
      throws IOException, InterruptedException {
    if (reaches(board, started, Phase.RECOVERED)) {
      longestOpenNanos = Math.max(longestOpenNanos, board.openNanos());
      return true;
    }
    if (early.isAskedSoon()) {
      return false;
    }
    violations.add(
        "the store did not open after kill " + (number - 1) + "; the child " + started.lastWords());
    return false;
  }

  private static boolean reaches(Board board, ChildJvm started, Phase phase) {
    long deadline = System.nanoTime() + OPEN_TIMEOUT_NANOS;
    while (board.phase().compareTo(phase) < 0) {
      if (!started.isAlive() || System.nanoTime() > deadline) {
        return board.phase().compareTo(phase) >= 0;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  /**
   * Divides the time for transfers among the children, at random: none gets a tenth of what another
   * gets.
   */
  private long[] runNanos() {
    double[] parts = new double[options.kills()];
    double sum = 0;
    for (int i = 0; i < parts.length; i++) {
      parts[i] = 0.2 + 1.6 * random.nextDouble();
      sum += parts[i];
    }
    long[] nanos = new long[parts.length];
    for (int i = 0; i < parts.length; i++) {
      nanos[i] = (long) (options.running().toNanos() * (parts[i] / sum));
    }
    return nanos;
  }

  /** Lets transfers run for a while; returns how long it was until the kill. */
  private long runAndKill(Board board, ChildJvm started, RoundPlan plan, int number, long runNanos)
      throws IOException, InterruptedException {
    forEachThread(
        (mode, thread) -> board.acknowledged(mode, thread, ledger.verified(mode, thread)));
    long begin = System.nanoTime();
    long end = begin + runNanos;
    board.letRun();
    while (System.nanoTime() - end < 0 && !early.isAsked()) {
      if (!started.isAlive()) {
        if (early.isAskedSoon()) {
          break;
        }
        violations.add("the child stopped before kill " + number + "; it " + started.lastWords());
        return System.nanoTime() - begin;
      }
      progress.running(number, plan.name(), acknowledgedSince(board));
      LockSupport.parkNanos(Math.min(POLL_NANOS, Math.max(1, end - System.nanoTime())));
    }
    options.death().strike(started, options.store());
    long ran = System.nanoTime() - begin;
    child = null;
    return ran;
  }

  /** Sometimes starts a child and kills it while it opens the store; returns how often. */
  private int killWhileOpening(Board board, RoundPlan plan, Path scratch)
      throws IOException, InterruptedException {
    if (early.isAsked() || random.nextInt(ROUNDS_PER_KILL_WHILE_OPENING) != 0) {
      return 0;
    }
    long delay = random.nextLong(longestOpenNanos);
    ChildJvm started = startChild(board, plan, scratch);
    if (reaches(board, started, Phase.OPENING)) {
      LockSupport.parkNanos(delay);
    }
    options.death().strike(started, options.store());
    child = null;
    killsWhileOpening++;
    return 1;
  }

  /** Returns how many killed stores were judged in the memory of their process. */
  public int attached() {
    return attached;
  }

  /** Opens the killed store in this JVM and judges it. */
  private boolean judgeHere(Board board, Life life) {
    long started = System.nanoTime();
    try (Store store = Store.open(options.store(), CityStore.options(options.backing()))) {
      long openNanos = System.nanoTime() - started;
      if (store.admin().recoveryReport().memory() instanceof MemoryOrigin.Attached) {
        attached++;
      }
      CityStore found = CityStore.of(store);
      judge(
          board, found.state(), life, openNanos, store.admin().recoveryReport().counts().records());
      violations.addAll(found.differences(cities));
      return violations.isEmpty();
    }
  }

  /** Opens the store after a clean close and judges it; returns how long opening took. */
  private long judgeCleanOpening(Board board) {
    forEachThread(
        (mode, thread) -> board.acknowledged(mode, thread, ledger.verified(mode, thread)));
    long started = System.nanoTime();
    try (Store store = Store.open(options.store(), CityStore.options(options.backing()))) {
      long openNanos = System.nanoTime() - started;
      judge(board, CityStore.of(store).state(), null, openNanos, 0);
      return openNanos;
    }
  }

  /**
   * Judges what an opening shows.
   *
   * @param life what ran before it, or null if nothing did
   */
  private boolean judge(
      Board board, RecoveredState state, @Nullable Life life, long openNanos, long redoRecords) {
    long[][] acknowledged = new long[TransferChild.MODES.size()][options.threads()];
    forEachThread((mode, thread) -> acknowledged[mode][thread] = board.acknowledged(mode, thread));
    Verdict verdict = ledger.judge(acknowledged, state);
    violations.addAll(verdict.violations());
    if (life != null) {
      Round round =
          new Round(
              life.number(),
              life.plan(),
              life.runNanos(),
              openNanos,
              redoRecords,
              life.killsWhileOpening(),
              verdict);
      rounds.add(round);
      progress.judged(round);
    }
    return verdict.violations().isEmpty();
  }

  private long acknowledgedSince(Board board) {
    long sum = 0;
    for (int mode = 0; mode < TransferChild.MODES.size(); mode++) {
      for (int thread = 0; thread < options.threads(); thread++) {
        sum += board.acknowledged(mode, thread) - ledger.verified(mode, thread);
      }
    }
    return sum;
  }

  private void forEachThread(ModeAndThread action) {
    for (int mode = 0; mode < TransferChild.MODES.size(); mode++) {
      for (int thread = 0; thread < options.threads(); thread++) {
        action.accept(mode, thread);
      }
    }
  }

  private interface ModeAndThread {
    void accept(int mode, int thread);
  }

  private static RecoveredState onBoard(Board board) {
    return new RecoveredState() {
      @Override
      public long transfers(int mode, int thread) {
        return board.recovered(mode, thread);
      }

      @Override
      public long population(int city) {
        return board.population(city);
      }
    };
  }
}
