package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.study.persistency.QueueExperiment.Analysis;
import io.howdah.nvmsim.study.persistency.QueueExperiment.Cell;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/** The runs behind Table 1 and Figures 3 to 5: each program is traced once per thread count. */
final class PersistencyRuns {
  /** Label of the strand model whose persists absorb a limited number of stores. */
  static final String STRAND_LIMITED = "strand-limited";

  static final String RACING = "racing";

  /** Schedules of a program with several threads; they share the plan's inserts. */
  static final int SCHEDULES = 5;

  private final PersistencyPlan plan;
  private final Set<String> wanted;
  private final List<PersistencyModel> known = new ArrayList<>(Models.all());

  PersistencyRuns(PersistencyPlan plan) {
    this.plan = plan;
    ServiceLoader.load(PersistencyModel.class, plan.modelLoader()).forEach(known::add);
    Set<String> names = new LinkedHashSet<>();
    known.forEach(model -> names.add(model.name()));
    names.add(RACING);
    for (String model : plan.models()) {
      if (!names.contains(model)) {
        throw new IllegalArgumentException("no model '" + model + "'; there are " + names);
      }
    }
    this.wanted = plan.models().isEmpty() ? names : Set.copyOf(plan.models());
  }

  /** The models asked for, without the racing label, which is a program and no model. */
  List<PersistencyModel> analysedModels() {
    return known.stream().filter(model -> wanted.contains(model.name())).toList();
  }

  /** Runs everything. */
  List<Cell> run(StudyProgress progress) {
    List<QueueExperiment> experiments = experiments();
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < experiments.size(); i++) {
      QueueExperiment experiment = experiments.get(i);
      double before = i;
      cells.addAll(
          experiment.run(
              schedules(experiment.threads()),
              events ->
                  progress.show(
                      experiment.queue().name() + ", " + experiment.threads() + " threads",
                      (before + Math.min(1.0, events / (30.0 * plan.inserts())))
                          / experiments.size())));
    }
    return cells;
  }

  /** One thread has one schedule, and so have threads in turn. */
  private boolean hasBand(int threads) {
    return threads > 1 && plan.schedule() != ScheduleKind.ROUND_ROBIN;
  }

  private List<SchedulePolicy> schedules(int threads) {
    List<SchedulePolicy> policies = new ArrayList<>();
    for (int i = 0; i < (hasBand(threads) ? SCHEDULES : 1); i++) {
      policies.add(plan.schedule().create(plan.seed() + i, inserts(threads)));
    }
    return policies;
  }

  private long inserts(int threads) {
    return hasBand(threads) ? Math.max(1, plan.inserts() / SCHEDULES) : plan.inserts();
  }

  private List<QueueExperiment> experiments() {
    List<QueueExperiment> experiments = new ArrayList<>();
    for (int count : plan.threads()) {
      add(experiments, QueueSpec.cwl(), count, false);
      if (wanted.contains(RACING)) {
        experiments.add(
            new QueueExperiment(
                QueueSpec.cwlRacing(),
                count,
                inserts(count),
                List.of(new Analysis(RACING, Models.EPOCH, AnalysisOptions.DEFAULT))));
      }
      // Epochs race in the two-lock queue as it is: its racing column is the same program.
      add(experiments, QueueSpec.twoLockListed(), count, true);
      add(experiments, QueueSpec.twoLockPaper(), count, true);
      add(experiments, QueueSpec.twoLockRepaired(), count, false);
      add(experiments, QueueSpec.twoLockFenced(), count, false);
    }
    List<Analysis> sweep = new ArrayList<>();
    for (PersistencyModel model : analysedModels()) {
      for (int persist : plan.persistGranularities()) {
        if (persist != AnalysisOptions.MIN_GRANULARITY || !plan.threads().contains(1)) {
          sweep.add(analysis(model, AnalysisOptions.DEFAULT.withGranularity(persist, 8)));
        }
      }
      for (int tracking : plan.trackingGranularities()) {
        if (tracking != AnalysisOptions.MIN_GRANULARITY) {
          sweep.add(analysis(model, AnalysisOptions.DEFAULT.withGranularity(8, tracking)));
        }
      }
    }
    experiments.add(new QueueExperiment(QueueSpec.cwl(), 1, plan.inserts(), sweep));
    return experiments;
  }

  private void add(List<QueueExperiment> experiments, QueueSpec queue, int count, boolean races) {
    List<Analysis> analyses = new ArrayList<>();
    for (PersistencyModel model : analysedModels()) {
      analyses.add(analysis(model, AnalysisOptions.DEFAULT));
    }
    if (races && wanted.contains(RACING)) {
      analyses.add(new Analysis(RACING, Models.EPOCH, AnalysisOptions.DEFAULT));
    }
    if (wanted.contains(Models.STRAND.name())) {
      analyses.add(
          new Analysis(
              STRAND_LIMITED,
              Models.STRAND,
              AnalysisOptions.DEFAULT.withMaxStoresPerPersist(
                  PersistencyTargets.STRAND_STORES_PER_PERSIST)));
    }
    experiments.add(new QueueExperiment(queue, count, inserts(count), analyses));
  }

  private static Analysis analysis(PersistencyModel model, AnalysisOptions options) {
    return new Analysis(model.name(), model, options);
  }

  /**
   * The two-lock queue with the most threads in turn, one event each: such threads keep step with
   * its two locks, which no threads of real speed do.
   */
  List<Cell> inTurn(StudyProgress progress) {
    int most = plan.threads().stream().mapToInt(Integer::intValue).max().orElse(1);
    List<Cell> cells = new ArrayList<>();
    for (QueueSpec queue :
        List.of(QueueSpec.twoLockListed(), QueueSpec.twoLockPaper(), QueueSpec.twoLockFenced())) {
      cells.addAll(
          new QueueExperiment(
                  queue,
                  most,
                  inserts(most),
                  List.of(
                      analysis(Models.STRICT, AnalysisOptions.DEFAULT),
                      analysis(Models.EPOCH, AnalysisOptions.DEFAULT)))
              .run(
                  List.of(Policies.roundRobin(1)),
                  events -> progress.show("threads in turn", 0.5)));
    }
    return cells;
  }
}
