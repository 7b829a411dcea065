package io.howdah.nvmsim.mutation;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPath;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.persistency.RaceDetector;
import io.howdah.nvmsim.persistency.RandomTraces;
import io.howdah.nvmsim.persistency.reference.Axioms;
import io.howdah.nvmsim.persistency.reference.ReferenceChecker;
import io.howdah.nvmsim.queue.PersistentQueue;
import io.howdah.nvmsim.queue.QueueMemory;
import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.BlockingProgram;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.Map;

/**
 * The simulator's acceptance in small: what {@link MutationSuiteTest} runs against broken copies of
 * the simulator. Throws when something is wrong. Loaded by the copy's own class loader.
 */
public final class Gates implements Runnable {
  private static final int INSERTS = 200;
  private static final long MAX_EVENTS = 100_000;

  public Gates() {}

  @Override
  public void run() {
    axioms();
    queues();
    programs();
    races();
  }

  private static void axioms() {
    Map<PersistencyModel, Axioms> models =
        Map.of(
            Models.STRICT, Axioms.STRICT,
            Models.EPOCH, Axioms.EPOCH,
            Models.STRAND, Axioms.STRAND,
            Models.BPFS, Axioms.BPFS);
    for (int seed = 0; seed < 250; seed++) {
      TraceBuffer trace = RandomTraces.of(seed);
      int persist = 8 << (seed % 4);
      int tracking = 8 << (seed / 4 % 4);
      AnalysisOptions options =
          AnalysisOptions.DEFAULT
              .withGranularity(persist, tracking)
              .withMaxStoresPerPersist(seed % 5 == 0 ? 2 : 0);
      for (Map.Entry<PersistencyModel, Axioms> entry : models.entrySet()) {
        ReferenceChecker.Outcome expected =
            new ReferenceChecker(entry.getValue(), options).check(trace);
        CriticalPathAnalyzer analyzer = new CriticalPathAnalyzer(entry.getKey(), options);
        trace.replay(analyzer);
        CriticalPath path = analyzer.result();
        require(
            expected.equals(
                new ReferenceChecker.Outcome(
                    path.length(), path.persistsIssued(), path.persistsPerformed())),
            "analyser against axioms");
        PersistDagBuilder builder = new PersistDagBuilder(entry.getKey(), options, true, 1 << 14);
        trace.replay(builder);
        PersistDag dag = builder.build();
        require(
            dag.criticalPathLength() == expected.length()
                && dag.nodes().size() == expected.performed(),
            "DAG against axioms");
      }
    }
  }

  private static void queues() {
    levels(QueueSpec.cwl(), 1, Models.STRICT, 14);
    levels(QueueSpec.cwl(), 1, Models.EPOCH, 2);
    levels(QueueSpec.cwl(), 8, Models.EPOCH, 2);
    levels(QueueSpec.cwlRacing(), 8, Models.EPOCH, 0.25);
    levels(QueueSpec.twoLockListed(), 1, Models.EPOCH, 1);
    levels(QueueSpec.twoLockPaper(), 1, Models.EPOCH, 2);
    levels(QueueSpec.twoLockPaper(), 8, Models.EPOCH, 0.25);
    levels(QueueSpec.cwl(), 1, Models.STRAND, 0);
    // Its locks are volatile, so BPFS does not see them order the inserts.
    levels(QueueSpec.cwl(), 8, Models.BPFS, 0.25);
  }

  private static void levels(QueueSpec queue, int threads, PersistencyModel model, double each) {
    CriticalPathAnalyzer analyzer = new CriticalPathAnalyzer(model, AnalysisOptions.DEFAULT);
    QueueRun.trace(queue, threads, INSERTS, Policies.roundRobin(1), analyzer);
    double levels = analyzer.result().length();
    require(
        levels >= each * INSERTS && levels <= each * INSERTS + 2,
        queue.name() + " under " + model.name());
  }

  /** The same text gives the same trace, taken turn by turn and on a port that waits. */
  private static void programs() {
    for (QueueSpec spec : new QueueSpec[] {QueueSpec.cwl(), QueueSpec.twoLockFenced()}) {
      TraceBuffer machine = new TraceBuffer(1 << 16);
      QueueRun.trace(spec, 3, 24, Policies.random(5), machine);
      TraceBuffer readable = new TraceBuffer(1 << 16);
      long headAddress;
      try (SimMemory memory = new SimMemory(QueueMemory.spaces(spec, 3))) {
        DeterministicScheduler scheduler =
            new DeterministicScheduler(memory, Policies.random(5), readable)
                .limitEvents(MAX_EVENTS);
        QueueMemory queue = QueueMemory.allocate(spec, 3, memory, scheduler.setUp());
        headAddress = queue.headAddress();
        for (int i = 0; i < 3; i++) {
          PersistentQueue view = PersistentQueue.of(queue);
          scheduler.add(
              new BlockingProgram(
                  port -> {
                    for (int op = 0; op < 8; op++) {
                      view.insert(port, op);
                    }
                  }));
        }
        scheduler.run();
      }
      require(machine.count() == readable.count(), "same number of events");
      long head = 0;
      for (int i = 0; i < machine.count(); i++) {
        require(
            machine.packed(i) == readable.packed(i)
                && machine.address(i) == readable.address(i)
                && machine.value(i) == readable.value(i),
            "same event " + i);
        if (machine.address(i) == headAddress && Event.kind(machine.packed(i)) == Event.STORE) {
          require(machine.value(i) > head, "the head only grows");
          head = machine.value(i);
        }
      }
    }
  }

  private static void races() {
    require(raceCount(QueueSpec.cwl()) == 0, "no race with all barriers");
    require(raceCount(QueueSpec.cwlRacing()) > 0, "races without");
    int[] kinds = {Event.LOAD, Event.STORE};
    for (int first : kinds) {
      for (int second : kinds) {
        int expected = first == Event.LOAD && second == Event.LOAD ? 0 : 1;
        require(raceOf(first, second) == expected, "race of kinds " + first + " and " + second);
      }
    }
  }

  /** Two threads persist to words of their own and then access one volatile word. */
  private static int raceOf(int firstKind, int secondKind) {
    TraceBuffer trace = new TraceBuffer(4);
    for (int thread = 0; thread < 2; thread++) {
      int kind = thread == 0 ? firstKind : secondKind;
      trace.add(Event.access(Event.STORE, thread, 8, true, 0), 0x10000 + 64L * thread, 0);
      trace.add(Event.access(kind, thread, 8, false, 0), 0x1000, 0);
    }
    RaceDetector detector = new RaceDetector(AnalysisOptions.DEFAULT);
    trace.replay(detector);
    return detector.races().size();
  }

  private static int raceCount(QueueSpec queue) {
    RaceDetector detector = new RaceDetector(AnalysisOptions.DEFAULT);
    QueueRun.trace(queue, 3, 30, Policies.random(2), detector);
    return detector.races().size();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("gate failed: " + what);
    }
  }
}
