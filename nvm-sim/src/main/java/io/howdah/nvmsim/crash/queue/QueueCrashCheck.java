package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.crash.CrashStates;
import io.howdah.nvmsim.crash.CutCount;
import io.howdah.nvmsim.crash.ScheduleSearch;
import io.howdah.nvmsim.crash.ScheduleText;
import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.dag.PersistNode;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.queue.PersistentQueue;
import io.howdah.nvmsim.queue.QueueInserter;
import io.howdah.nvmsim.queue.QueueMemory;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.BlockingProgram;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import io.howdah.nvmsim.schedule.SimProgram;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Proves or breaks a persistent queue: runs it under schedule after schedule, and for each model
 * recovers every state a failure can leave. One run serves all models.
 */
public final class QueueCrashCheck {
  private static final int MAX_TURNS = 1 << 20;
  private static final int MAX_EVENTS = 1 << 20;

  /**
   * Which run.
   *
   * @param queue the program; its capacity must hold all inserts unless it is checked
   * @param threads threads that insert
   * @param inserts of all threads together
   * @param removes records that one more thread removes; needs a checked queue
   * @param options granularities
   * @param coalesce whether persists merge whenever they may; if not, every stored word persists by
   *     itself, which allows more states
   */
  public record Setup(
      QueueSpec queue,
      int threads,
      int inserts,
      int removes,
      AnalysisOptions options,
      boolean coalesce) {
    public Setup {
      if (threads < 1 || threads > 16 || inserts < 1 || removes < 0) {
        throw new IllegalArgumentException(
            "threads must be 1 to 16, inserts at least 1, removes not negative: "
                + threads
                + ", "
                + inserts
                + ", "
                + removes);
      }
      if (removes > 0 && !queue.checked()) {
        throw new IllegalArgumentException("only a checked queue can remove");
      }
    }

    /** Inserts alone, every word a persist of its own. */
    public static Setup of(QueueSpec queue, int threads, int inserts) {
      return new Setup(queue, threads, inserts, 0, AnalysisOptions.DEFAULT, false);
    }

    /** Threads of the run, the removing one included. */
    public int allThreads() {
      return threads + (removes > 0 ? 1 : 0);
    }
  }

  /**
   * What was found under one model.
   *
   * @param model name of the model
   * @param schedules runs examined
   * @param complete whether they cover every schedule
   * @param orders the different persist orders among them, by names that other checks share
   * @param states crash states of those orders
   * @param recoveries recoveries it took to judge all of them
   * @param violating recoveries that returned wrong data
   * @param witness the first of those, null if none
   */
  public record Outcome(
      String model,
      long schedules,
      boolean complete,
      Set<Object> orders,
      CutCount states,
      long recoveries,
      long violating,
      @Nullable CrashWitness witness) {
    public Outcome {
      orders = Set.copyOf(orders);
    }

    /** Whether no recovery returned wrong data. */
    public boolean held() {
      return violating == 0;
    }
  }

  /** One run: its trace, where the queue lies and the thread of each turn. */
  private static final class Traced {
    final TraceBuffer trace;
    final QueueMemory queue;
    final byte[] schedule;

    Traced(TraceBuffer trace, QueueMemory queue, byte[] schedule) {
      this.trace = trace;
      this.queue = queue;
      this.schedule = schedule;
    }
  }

  /** What is known under one model so far. */
  private static final class Tally {
    final PersistencyModel model;
    final Set<Object> known = new HashSet<>();
    CutCount states = CutCount.ZERO;
    long recoveries;
    long violating;
    @Nullable CrashWitness witness;

    Tally(PersistencyModel model) {
      this.model = model;
    }
  }

  private final Setup setup;
  private final List<Tally> tallies;
  private final boolean stopAtFirst;
  private final LongConsumer progress;
  private long schedules;

  /**
   * Prepares a check.
   *
   * @param stopAtFirst whether to stop once every model has a witness
   * @param progress told the number of schedules from time to time
   */
  public QueueCrashCheck(
      Setup setup, List<PersistencyModel> models, boolean stopAtFirst, LongConsumer progress) {
    this.setup = setup;
    this.tallies = models.stream().map(Tally::new).toList();
    this.stopAtFirst = stopAtFirst;
    this.progress = progress;
  }

  /** Examines every schedule that differs in the order of conflicting accesses. */
  public List<Outcome> everySchedule(long maxRuns) {
    AnalysisOptions options = setup.options;
    ScheduleSearch search =
        new ScheduleSearch(
            setup.allThreads(),
            Math.max(options.persistGranularity(), options.trackingGranularity()),
            maxRuns);
    ScheduleSearch.Coverage coverage =
        search.explore(
            (policy, observer) -> {
              Traced traced = trace(policy, observer);
              return examine(new Traced(traced.trace, traced.queue, search.schedule()));
            });
    return outcomes(coverage.complete());
  }

  /** Examines this many random schedules, with the seeds from {@code seed} up. */
  public List<Outcome> randomSchedules(long seed, int count) {
    boolean more = true;
    for (int i = 0; more && i < count; i++) {
      RecordedSchedule policy = new RecordedSchedule(Policies.random(seed + i), MAX_TURNS);
      Traced traced = trace(policy, (_, program) -> program);
      more = examine(new Traced(traced.trace, traced.queue, policy.choices()));
    }
    return outcomes(false);
  }

  /**
   * Examines one schedule.
   *
   * @throws IllegalArgumentException if the run has no such schedule
   */
  public List<Outcome> schedule(byte[] schedule) {
    examine(recorded(schedule));
    return outcomes(false);
  }

  private Traced recorded(byte[] schedule) {
    try {
      Traced traced = trace(Policies.replay(schedule), (_, program) -> program);
      return new Traced(traced.trace, traced.queue, schedule);
    } catch (IllegalStateException e) {
      throw new IllegalArgumentException("not a schedule of this run: " + e.getMessage(), e);
    }
  }

  /**
   * Replays one schedule and recovers one cut of it: what a witness says, seen again.
   *
   * @param durable ids of the persists that had reached memory
   * @throws IllegalArgumentException if the run has no such schedule, or a failure cannot leave
   *     this cut under the model
   */
  public static CrashWitness replay(
      Setup setup, PersistencyModel model, byte[] schedule, BitSet durable) {
    QueueCrashCheck check = new QueueCrashCheck(setup, List.of(model), false, _ -> {});
    Traced run = check.recorded(schedule);
    PersistDag dag = check.dag(model, run);
    if (durable.length() > dag.nodes().size() || !dag.isDownClosed(durable)) {
      throw new IllegalArgumentException(
          "no failure leaves the persists "
              + durable
              + " of "
              + dag.nodes().size()
              + " durable under "
              + model.name()
              + " persistency: one of them must follow one that is missing");
    }
    CrashStates states = new CrashStates(dag);
    QueueOracle oracle = new QueueOracle(run.queue, run.trace);
    return witness(dag, states, oracle, run, durable, oracle.violations(states.image(durable)));
  }

  private List<Outcome> outcomes(boolean complete) {
    List<Outcome> outcomes = new ArrayList<>();
    for (Tally tally : tallies) {
      outcomes.add(
          new Outcome(
              tally.model.name(),
              schedules,
              complete,
              tally.known,
              tally.states,
              tally.recoveries,
              tally.violating,
              tally.witness));
    }
    return outcomes;
  }

  private Traced trace(SchedulePolicy policy, ScheduleSearch.Observer observer) {
    int threads = setup.allThreads();
    TraceBuffer trace = new TraceBuffer(MAX_EVENTS);
    try (SimMemory memory = new SimMemory(QueueMemory.spaces(setup.queue, threads))) {
      DeterministicScheduler scheduler = new DeterministicScheduler(memory, policy, trace);
      QueueMemory queue = QueueMemory.allocate(setup.queue, threads, memory, scheduler.setUp());
      for (int i = 0; i < setup.threads; i++) {
        int inserts = setup.inserts / setup.threads + (i < setup.inserts % setup.threads ? 1 : 0);
        scheduler.add(observer.watch(scheduler, QueueInserter.of(queue, i, inserts)));
      }
      if (setup.removes > 0) {
        PersistentQueue view = PersistentQueue.of(queue);
        SimProgram remover =
            new BlockingProgram(
                port -> {
                  for (int i = 0; i < setup.removes; i++) {
                    view.remove(port);
                  }
                });
        scheduler.add(observer.watch(scheduler, remover));
      }
      scheduler.run();
      return new Traced(trace, queue, new byte[0]);
    }
  }

  /** Recovers every crash state of a run under every model; false once all is broken. */
  private boolean examine(Traced run) {
    schedules++;
    if ((schedules & 63) == 0) {
      progress.accept(schedules);
    }
    QueueOracle oracle = new QueueOracle(run.queue, run.trace);
    boolean more = false;
    for (Tally tally : tallies) {
      if (stopAtFirst && tally.witness != null) {
        continue;
      }
      PersistDag dag = dag(tally.model, run);
      if (tally.known.add(PersistOrderKey.of(dag))) {
        recoverAll(tally, dag, oracle, run);
      }
      more |= !stopAtFirst || tally.witness == null;
    }
    return more;
  }

  private PersistDag dag(PersistencyModel model, Traced run) {
    PersistDagBuilder builder =
        new PersistDagBuilder(
            model, setup.options, setup.coalesce, PersistDagBuilder.DEFAULT_MAX_PERSISTS);
    run.trace.replay(builder);
    return builder.build();
  }

  private void recoverAll(Tally tally, PersistDag dag, QueueOracle oracle, Traced run) {
    CrashStates states = new CrashStates(dag);
    tally.states = tally.states.plus(states.count());
    tally.recoveries +=
        states.search(
            oracle,
            (cut, open, violations) -> {
              if (!violations.isEmpty()) {
                tally.violating++;
                if (tally.witness == null) {
                  tally.witness = witness(dag, states, oracle, run, cut, violations);
                }
              }
              return true;
            });
  }

  private static CrashWitness witness(
      PersistDag dag,
      CrashStates states,
      QueueOracle oracle,
      Traced run,
      BitSet cut,
      List<String> violations) {
    BitSet lost = new BitSet();
    List<String> details = new ArrayList<>();
    for (PersistNode node : dag.nodes()) {
      // What was stored after the last durable persist need not have been stored at all.
      if (node.id() < cut.length()) {
        boolean durable = cut.get(node.id());
        lost.set(node.id(), !durable);
        details.add((durable ? "durable  " : "lost     ") + node);
      }
    }
    return new CrashWitness(
        ScheduleText.format(run.schedule),
        cut,
        lost,
        oracle.describe(states.image(cut)),
        violations,
        details);
  }
}
