package io.howdah.lab.sim;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.nvmsim.crash.CutCount;
import io.howdah.nvmsim.crash.CutText;
import io.howdah.nvmsim.crash.queue.BarrierTrial;
import io.howdah.nvmsim.crash.queue.CrashSubject;
import io.howdah.nvmsim.crash.queue.CrashWitness;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Outcome;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Setup;
import io.howdah.nvmsim.queue.BarrierPoint;
import io.howdah.nvmsim.queue.QueueSpec;
import java.io.PrintWriter;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What {@code howdah sim crash} found, as a table and as metrics. For one run. */
final class CrashReport {
  private static final String ROW = "%-14s %-16s %-8s %9s %6s %16s %10s  %s%n";
  private static final BigInteger READABLE = BigInteger.TEN.pow(13);

  private final PrintWriter out;
  private final MetricsRun run;
  private boolean begun;
  private boolean trialsBegun;
  private double states;
  private long schedules;
  private long recoveries;
  private long unexpected;
  private long broken;
  private long trials;
  private long neededBarriers;

  CrashReport(PrintWriter out, MetricsRun run) {
    this.out = out;
    this.run = run;
  }

  /** Reports a queue under a model; breaking is a violation only where it should hold. */
  void row(CrashSubject subject, Setup setup, Outcome outcome, boolean expectedSafe) {
    if (!begun) {
      out.printf(
          Locale.ROOT,
          ROW,
          "queue",
          "model",
          "run",
          "schedules",
          "orders",
          "crash states",
          "recoveries",
          "");
      begun = true;
    }
    out.printf(
        Locale.ROOT,
        ROW,
        subject.queue(),
        subject.model(),
        bounds(setup),
        outcome.schedules(),
        outcome.orders().size(),
        readable(outcome.states()),
        outcome.recoveries(),
        verdict(outcome, expectedSafe));
    count(outcome);
    Map<String, Object> params =
        Map.of(
            "program",
            subject.queue() + (setup.removes() > 0 ? " circular" : ""),
            "model",
            subject.model(),
            "threads",
            setup.threads(),
            "inserts",
            setup.inserts(),
            "everySchedule",
            outcome.complete());
    add("simcrash.row.states", outcome.states().value().doubleValue(), params);
    add("simcrash.row.recoveries", outcome.recoveries(), params);
    add("simcrash.row.violations", outcome.violating(), params);
    CrashWitness witness = outcome.witness();
    if (expectedSafe && witness != null) {
      unexpected += outcome.violating();
      run.violation(
          subject.queue() + " under " + subject.model() + ": " + witness.violations().getFirst());
      witness(subject, setup, witness);
    } else if (!expectedSafe) {
      broken++;
      if (outcome.held()) {
        unexpected++;
        run.violation(subject.queue() + " under " + subject.model() + " should break, and did not");
      }
    }
  }

  private static String verdict(Outcome outcome, boolean expectedSafe) {
    if (!outcome.held()) {
      return outcome.violating()
          + " recoveries wrong"
          + (expectedSafe ? "" : ", as they must be")
          + (outcome.complete() ? "" : " (not every schedule)");
    }
    return outcome.complete() ? "holds in every schedule" : "holds in these schedules";
  }

  private static String bounds(Setup setup) {
    return setup.threads()
        + "x"
        + setup.inserts()
        + (setup.removes() > 0 ? "-" + setup.removes() : "");
  }

  /** Reports a queue without one of its barriers. */
  void trial(BarrierTrial trial) {
    if (!trialsBegun) {
      out.printf("%nWithout one barrier%n");
      trialsBegun = true;
    }
    CrashSubject subject = trial.subject();
    String name = subject.queue() + (subject.program().checked() ? " circular" : "");
    out.printf(
        Locale.ROOT,
        "%-14s %-16s %-15s %s%s%n",
        name,
        subject.model(),
        trial.dropped(),
        trial.verdict(),
        trial.asExpected() ? "" : ", UNEXPECTED");
    count(trial.outcome());
    trials++;
    neededBarriers += trial.verdict() == BarrierTrial.Verdict.NEEDED ? 1 : 0;
    if (!trial.asExpected()) {
      unexpected++;
      run.violation(
          name
              + " under "
              + subject.model()
              + " without "
              + trial.dropped()
              + ": the barrier is "
              + trial.verdict()
              + (trial.outcome().complete() ? "" : ", not every schedule examined"));
    }
  }

  private void count(Outcome outcome) {
    states += outcome.states().value().doubleValue();
    schedules += outcome.schedules();
    recoveries += outcome.recoveries();
  }

  /** Reports one state that was asked for, sound or not. */
  void replayed(CrashSubject subject, Setup setup, CrashWitness witness) {
    states = 1;
    schedules = 1;
    recoveries = 1;
    unexpected = witness.violations().isEmpty() ? 0 : 1;
    witness(subject, setup, witness);
    for (String violation : witness.violations()) {
      run.violation(subject.queue() + " under " + subject.model() + ": " + violation);
    }
  }

  /** Shows a state, what recovery makes of it and how to see it again. */
  private void witness(CrashSubject subject, Setup setup, CrashWitness witness) {
    String turns = witness.schedule();
    String cut = CutText.format(witness.durable());
    out.println("    recovery returned  " + witness.recovered());
    witness.violations().forEach(violation -> out.println("    wrong              " + violation));
    out.println("    schedule           " + turns);
    out.println("    durable            " + cut);
    for (String detail : witness.details()) {
      if (detail.startsWith("lost")) {
        out.println("    " + detail);
      }
    }
    StringBuilder again = new StringBuilder("howdah sim crash --queue ").append(subject.queue());
    again.append(" --model ").append(subject.model());
    again.append(" --threads ").append(setup.threads());
    again.append(" --inserts ").append(setup.inserts());
    QueueSpec queue = setup.queue();
    again.append(" --capacity ").append(queue.capacity());
    if (setup.removes() > 0) {
      again.append(" --removes ").append(setup.removes());
    }
    if (queue.entryLength() != QueueSpec.PAPER_ENTRY_LENGTH) {
      again.append(" --entry-length ").append(queue.entryLength());
    }
    for (BarrierPoint barrier : missing(subject)) {
      again.append(" --drop-barrier ").append(barrier);
    }
    if (setup.options().persistGranularity() != 8 || setup.options().trackingGranularity() != 8) {
      again.append(" --persist-granularity ").append(setup.options().persistGranularity());
      again.append(" --tracking-granularity ").append(setup.options().trackingGranularity());
    }
    again.append(setup.coalesce() ? " --coalesce" : "");
    out.println("    again              " + again + " --schedule " + turns + " --cut " + cut);
  }

  /** The barriers that the queue by this name has and this program has not. */
  private static Set<BarrierPoint> missing(CrashSubject subject) {
    Set<BarrierPoint> missing =
        new TreeSet<>(CrashSubject.of(subject.queue(), subject.model()).program().barriers());
    missing.removeAll(subject.program().barriers());
    return missing;
  }

  private static String readable(CutCount states) {
    String number =
        states.value().compareTo(READABLE) < 0
            ? states.value().toString()
            : String.format(Locale.ROOT, "%.3g", states.value().doubleValue());
    return states.exact() ? number : "> " + number;
  }

  /** Adds the totals and prints them. */
  void end() {
    out.printf(
        Locale.ROOT,
        "%n%d schedules, %.4g crash states, judged by %d recoveries; violations: %d%n",
        schedules,
        states,
        recoveries,
        run.finish().violations().size());
    if (trials > 0) {
      out.printf(
          "%d queues broken that must break; %d barriers dropped, %d of them needed%n",
          broken, trials, neededBarriers);
    }
    out.flush();
    add("simcrash.states", states, Map.of());
    add("simcrash.violations", unexpected, Map.of());
    add("simcrash.recoveries", recoveries, Map.of());
    add("simcrash.schedules", schedules, Map.of());
    if (trials > 0) {
      add("simcrash.barriersDropped", trials, Map.of());
      add("simcrash.barriersNeeded", neededBarriers, Map.of());
    }
  }

  private void add(String name, long value, Map<String, Object> params) {
    add(name, (double) value, params);
  }

  private void add(String name, double value, Map<String, Object> params) {
    run.add(Metric.single(name, "count", value, params));
  }
}
