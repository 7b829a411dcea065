package io.howdah.lab.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.nvmsim.crash.CutText;
import io.howdah.nvmsim.crash.ScheduleText;
import io.howdah.nvmsim.crash.queue.CrashCampaign;
import io.howdah.nvmsim.crash.queue.CrashSubject;
import io.howdah.nvmsim.crash.queue.CrashWitness;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Outcome;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Setup;
import io.howdah.nvmsim.crash.queue.SharedRuns;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.queue.BarrierPoint;
import io.howdah.nvmsim.queue.QueueSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah sim crash}: recovers the queues from every state a failure can leave. */
@Command(
    name = "crash",
    mixinStandardHelpOptions = true,
    description = {
      "Crash states of persistent queues, under every schedule of small runs.",
      "Runs the persistent queues of Memory Persistency (ISCA 2014) under every schedule of a small run and recovers them from every state a failure can leave.",
      "Without --queue: all queues under all models, and each barrier dropped in turn; exit code 1 if a queue that should hold breaks, or one that should break holds. With --queue: exit code 1 if any state recovers wrong data."
    })
public final class CrashCommand implements Callable<Integer> {
  /** The persist order of a run takes the square of this. */
  private static final int MOST_INSERTS = 256;

  /** The search over schedules takes runs of some 2000 events; far fewer inserts are hopeless. */
  private static final int MOST_INSERTS_EXHAUSTIVE = 16;

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;

  @Option(
      names = "--queue",
      paramLabel = "QUEUE",
      description = "CWL, 2LC-listed, 2LC-paper, 2LC-fenced or 2LC-repaired.")
  private @Nullable String queue;

  @Option(
      names = "--model",
      split = ",",
      paramLabel = "MODEL",
      description =
          "Only these models: strict, buffered-strict, epoch, racing, strand, bpfs (default: all).")
  private List<String> models = List.of();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Inserting threads, 1 to 16 (default: 2).")
  private @Nullable Integer threads;

  @Option(
      names = "--inserts",
      paramLabel = "N",
      description = "Inserts of all threads together (default: 2).")
  private @Nullable Integer inserts;

  @Option(
      names = "--removes",
      paramLabel = "N",
      defaultValue = "0",
      description = "Records that one more thread removes (default: ${DEFAULT-VALUE}).")
  private int removes;

  @Option(
      names = "--capacity",
      paramLabel = "N",
      description =
          "Records the queue holds. Without --removes it must hold all inserts, and does by default;"
              + " with it the default is 1.")
  private @Nullable Integer capacity;

  @Option(
      names = "--entry-length",
      paramLabel = "BYTES",
      defaultValue = "100",
      description = "Bytes of an entry, at least 12 (default: ${DEFAULT-VALUE}).")
  private int entryLength;

  @Option(
      names = "--drop-barrier",
      split = ",",
      paramLabel = "BARRIER",
      description = "Leave these barriers out of the program: ${COMPLETION-CANDIDATES}.")
  private List<BarrierPoint> dropped = List.of();

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Random schedules from this seed instead of every schedule.")
  private @Nullable Long seed;

  @Option(
      names = "--schedules",
      paramLabel = "N",
      defaultValue = "200",
      description = "Random schedules, with --seed (default: ${DEFAULT-VALUE}).")
  private int schedules;

  @Option(
      names = "--max-schedules",
      paramLabel = "N",
      defaultValue = "200000",
      description =
          "Give up on every schedule after this many (default: ${DEFAULT-VALUE}). Schedules that"
              + " order all conflicting accesses alike count once.")
  private long maxSchedules;

  @Option(
      names = "--persist-granularity",
      paramLabel = "BYTES",
      defaultValue = "8",
      description = "Bytes that persist atomically, with --coalesce (default: ${DEFAULT-VALUE}).")
  private int persistGranularity;

  @Option(
      names = "--tracking-granularity",
      paramLabel = "BYTES",
      defaultValue = "8",
      description = "Bytes at which conflicts are noticed (default: ${DEFAULT-VALUE}).")
  private int trackingGranularity;

  @Option(
      names = "--coalesce",
      description =
          "Merge persists whenever they may. Without, every word persists by itself, which allows"
              + " more states.")
  private boolean coalesce;

  @Option(
      names = "--schedule",
      paramLabel = "TURNS",
      description = "Only this schedule, as a witness prints it; needs --queue and one --model.")
  private @Nullable String schedule;

  @Option(
      names = "--cut",
      paramLabel = "IDS",
      description = "With --schedule: only the state in which these persists are durable: 0-3,7.")
  private @Nullable String cut;

  /** Creates it, for the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the fields before it calls
  public CrashCommand() {}

  @Override
  public Integer call() throws IOException {
    MetricsRun run = MetricsRun.start("sim crash");
    CrashReport report = new CrashReport(spec.commandLine().getOut(), run);
    checkBounds();
    if (queue == null && !hasBounds() && models.isEmpty()) {
      campaign(report);
    } else if (queue != null && schedule != null && cut != null) {
      replay(report, queue, schedule, cut);
    } else {
      for (String name : queue != null ? List.of(queue) : CrashSubject.queues()) {
        check(report, name);
      }
    }
    report.end();
    json.write(run);
    return run.exitCode();
  }

  private boolean hasBounds() {
    return threads != null || inserts != null || removes > 0 || capacity != null || seed != null;
  }

  private void checkBounds() {
    if (queue == null && (!dropped.isEmpty() || schedule != null || cut != null)) {
      throw wrong("--drop-barrier, --schedule and --cut need --queue");
    }
    if (schedule != null && models.size() != 1) {
      throw wrong("--schedule needs one --model");
    }
    if (cut != null && schedule == null) {
      throw wrong("--cut needs --schedule");
    }
    int most = seed != null || schedule != null ? MOST_INSERTS : MOST_INSERTS_EXHAUSTIVE;
    if (inserts() < 1 || inserts() + removes > most) {
      throw wrong(
          "--inserts must be at least 1 and with --removes at most "
              + most
              + (most == MOST_INSERTS ? "" : ", or give a --seed")
              + ": "
              + inserts()
              + " and "
              + removes);
    }
    if (schedules < 1 || maxSchedules < 1) {
      throw wrong("--schedules and --max-schedules must be at least 1");
    }
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  /** Runs what the caller named; that it does not exist is his mistake, not ours. */
  private <T> T named(Supplier<T> named) {
    try {
      return named.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private int inserts() {
    return inserts == null ? 2 : inserts;
  }

  private void campaign(CrashReport report) {
    StatusLine progress = new StatusLine(spec.commandLine().getErr());
    CrashCampaign.Findings findings = new CrashCampaign(progress::show).run();
    progress.clear();
    findings
        .rows()
        .forEach(row -> report.row(row.subject(), row.setup(), row.outcome(), row.expectedSafe()));
    findings.trials().forEach(report::trial);
  }

  /** Checks one queue under the models; what must break may, unless it was asked for by name. */
  private void check(CrashReport report, String name) {
    List<CrashSubject> subjects = named(() -> subjects(name));
    Map<QueueSpec, Setup> setups = new HashMap<>();
    for (CrashSubject subject : subjects) {
      setups.put(subject.program(), named(() -> setup(subject.program())));
    }
    String text = schedule;
    byte[] turns = text == null ? new byte[0] : named(() -> ScheduleText.parse(text));
    StatusLine progress = new StatusLine(spec.commandLine().getErr());
    double bound = seed != null ? schedules : maxSchedules;
    Map<CrashSubject, Outcome> outcomes =
        SharedRuns.check(
            subjects,
            program -> Objects.requireNonNull(setups.get(program)),
            (setup, shared) -> {
              QueueCrashCheck check =
                  new QueueCrashCheck(
                      setup,
                      shared,
                      false,
                      done -> progress.show(name + ": " + done + " schedules", done / bound));
              if (text != null) {
                return named(() -> check.schedule(turns));
              }
              return seed != null
                  ? check.randomSchedules(seed, schedules)
                  : check.everySchedule(maxSchedules);
            });
    progress.clear();
    outcomes.forEach(
        (subject, outcome) -> {
          Setup setup = Objects.requireNonNull(setups.get(subject.program()));
          boolean mayBreak = queue == null && !subject.expectedSafe() && setup.threads() > 1;
          report.row(subject, setup, outcome, !mayBreak);
        });
  }

  private void replay(CrashReport report, String name, String turns, String persists) {
    CrashSubject subject = named(() -> subjects(name)).getFirst();
    Setup setup = named(() -> setup(subject.program()));
    CrashWitness witness =
        named(
            () ->
                QueueCrashCheck.replay(
                    setup,
                    subject.persistency(),
                    ScheduleText.parse(turns),
                    CutText.parse(persists)));
    report.replayed(subject, setup, witness);
  }

  private List<CrashSubject> subjects(String name) {
    List<CrashSubject> subjects = new ArrayList<>();
    for (String model : models.isEmpty() ? CrashSubject.models() : models) {
      CrashSubject subject = CrashSubject.of(name, model);
      QueueSpec program = subject.program();
      for (BarrierPoint barrier : dropped) {
        if (models.size() == 1 && !program.has(barrier)) {
          throw new IllegalArgumentException(
              name
                  + " under "
                  + model
                  + " has no barrier "
                  + barrier
                  + ", it has "
                  + program.barriers());
        }
        program = program.without(barrier);
      }
      subjects.add(subject.with(program));
    }
    return subjects;
  }

  private Setup setup(QueueSpec program) {
    int records = capacity != null ? capacity : removes > 0 ? 1 : inserts();
    if ((removes == 0 && records < inserts())
        || removes > inserts()
        || removes + records < inserts()) {
      throw new IllegalArgumentException(
          "a queue of "
              + records
              + " records, "
              + inserts()
              + " inserts and "
              + removes
              + " removes would overwrite or wait for ever");
    }
    QueueSpec sized = program.withEntryLength(entryLength).withCapacity(records);
    return new Setup(
        removes > 0 ? sized.withRoomChecked() : sized,
        threads != null ? threads : removes > 0 ? 1 : 2,
        inserts(),
        removes,
        AnalysisOptions.DEFAULT.withGranularity(persistGranularity, trackingGranularity),
        coalesce);
  }
}
