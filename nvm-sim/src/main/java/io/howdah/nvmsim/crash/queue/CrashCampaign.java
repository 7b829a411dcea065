package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.crash.queue.BarrierTrial.Verdict;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Outcome;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Setup;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.queue.BarrierPoint;
import io.howdah.nvmsim.queue.QueueSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The standing proof of the queues: every queue under every model, in every schedule of a small
 * run; and every barrier dropped in turn, to see that the check would notice.
 */
public final class CrashCampaign {
  /** A run that needs more schedules is reported as incomplete. */
  public static final long MAX_RUNS = 200_000;

  /** Slots of the insert-only queues: more than any run of the campaign inserts. */
  public static final int CAPACITY = 16;

  private static final int THREADS = 2;

  /** One thread inserts twice, so that barriers between its inserts count. */
  private static final int CWL_INSERTS = 3;

  /** One each: a third makes 58 000 schedules of the thousand. */
  private static final int TWO_LOCK_INSERTS = 2;

  /** Inserts into a queue of one slot, so that the second reuses what the removal freed. */
  private static final int CIRCULAR_INSERTS = 2;

  private static final int CIRCULAR_REMOVES = 1;

  /** The barriers that only a circular queue needs. */
  private static final EnumSet<BarrierPoint> TAIL = EnumSet.of(BarrierPoint.AROUND_TAIL);

  /**
   * One queue under one model.
   *
   * @param subject which
   * @param setup the run
   * @param outcome what was found
   * @param expectedSafe whether it should hold
   */
  public record Row(CrashSubject subject, Setup setup, Outcome outcome, boolean expectedSafe) {
    /** Whether it held, or broke, as expected, and that in every schedule if it held. */
    public boolean asExpected() {
      return outcome.held() == expectedSafe && (outcome.complete() || !expectedSafe);
    }
  }

  /**
   * What the campaign found.
   *
   * @param rows queues as they are
   * @param trials queues with a barrier dropped
   */
  public record Findings(List<Row> rows, List<BarrierTrial> trials) {
    public Findings {
      rows = List.copyOf(rows);
      trials = List.copyOf(trials);
    }
  }

  /** Told how far the campaign is. */
  @FunctionalInterface
  public interface Progress {
    /**
     * A part begins.
     *
     * @param what the part
     * @param share of the work done before it, 0 to 1
     */
    void begins(String what, double share);
  }

  private final Progress progress;
  private double share;
  private final List<Row> rows = new ArrayList<>();
  private final List<BarrierTrial> trials = new ArrayList<>();

  /** Prepares a campaign. */
  public CrashCampaign(Progress progress) {
    this.progress = progress;
  }

  /** Runs all of it. */
  public Findings run() {
    List<String> queues = CrashSubject.queues();
    for (String queue : queues) {
      share = queues.indexOf(queue) / (queues.size() + 1.0);
      List<CrashSubject> subjects = subjects(queue);
      Map<String, Row> known = check(subjects, CrashCampaign::insertOnly);
      if (queue.equals("CWL") || queue.equals("2LC-repaired")) {
        dropEach(subjects, EnumSet.complementOf(TAIL), known, CrashCampaign::insertOnly);
      }
    }
    share = queues.size() / (queues.size() + 1.0);
    List<CrashSubject> circular =
        subjects("CWL").stream()
            .map(s -> s.with(s.program().withRoomChecked().withCapacity(1)))
            .toList();
    dropEach(circular, TAIL, check(circular, CrashCampaign::circular), CrashCampaign::circular);
    return new Findings(rows, trials);
  }

  private static List<CrashSubject> subjects(String queue) {
    return CrashSubject.models().stream().map(model -> CrashSubject.of(queue, model)).toList();
  }

  private static Setup insertOnly(QueueSpec program) {
    int inserts =
        program.design() == QueueSpec.Design.COPY_WHILE_LOCKED ? CWL_INSERTS : TWO_LOCK_INSERTS;
    return Setup.of(program.withCapacity(CAPACITY), THREADS, inserts);
  }

  private static Setup circular(QueueSpec program) {
    return new Setup(
        program, 1, CIRCULAR_INSERTS, CIRCULAR_REMOVES, AnalysisOptions.DEFAULT, false);
  }

  private Map<String, Row> check(List<CrashSubject> subjects, SharedRuns.Setups setups) {
    Map<String, Row> byModel = new LinkedHashMap<>();
    outcomes(subjects, setups)
        .forEach(
            (subject, outcome) -> {
              Setup setup = setups.of(subject.program());
              Row row = new Row(subject, setup, outcome, subject.expectedSafe());
              rows.add(row);
              byModel.put(subject.model(), row);
            });
    return byModel;
  }

  private void dropEach(
      List<CrashSubject> subjects,
      Set<BarrierPoint> barriers,
      Map<String, Row> known,
      SharedRuns.Setups setups) {
    for (BarrierPoint barrier : barriers) {
      List<CrashSubject> without =
          subjects.stream()
              .filter(subject -> subject.program().has(barrier) && subject.expectedSafe())
              .map(subject -> subject.with(subject.program().without(barrier)))
              .toList();
      outcomes(without, setups)
          .forEach(
              (mutant, outcome) -> {
                Row whole = Objects.requireNonNull(known.get(mutant.model()));
                trials.add(trial(whole.subject, barrier, whole.outcome, outcome));
              });
    }
  }

  private static BarrierTrial trial(
      CrashSubject subject, BarrierPoint barrier, Outcome whole, Outcome outcome) {
    Verdict verdict =
        !outcome.held()
            ? Verdict.NEEDED
            : outcome.orders().equals(whole.orders())
                ? Verdict.REDUNDANT
                : Verdict.ORDERS_MORE_THAN_NEEDED;
    boolean expected = subject.neededBarriers().contains(barrier) == (verdict == Verdict.NEEDED);
    return new BarrierTrial(
        subject, barrier, verdict, outcome, expected && (outcome.complete() || !outcome.held()));
  }

  private Map<CrashSubject, Outcome> outcomes(
      List<CrashSubject> subjects, SharedRuns.Setups setups) {
    return SharedRuns.check(
        subjects,
        setups,
        (setup, models) -> {
          progress.begins(setup.queue().name(), share);
          return new QueueCrashCheck(setup, models, false, _ -> {}).everySchedule(MAX_RUNS);
        });
  }
}
