package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPath;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * One queue program with one number of threads, traced once and analysed under several models and
 * granularities in that pass.
 */
final class QueueExperiment {
  /**
   * A model to analyse under.
   *
   * @param label name in results; the racing column is the epoch model under another label
   * @param model the model
   * @param options granularities
   */
  public record Analysis(String label, PersistencyModel model, AnalysisOptions options) {}

  /**
   * What one analysis found.
   *
   * @param queue name of the queue
   * @param threads inserting threads
   * @param label the analysis's label
   * @param paths its critical path under each schedule, at least one
   */
  public record Cell(String queue, int threads, String label, List<CriticalPath> paths) {
    public Cell {
      paths = List.copyOf(paths);
    }

    /** The path of the schedule in the middle: half of the others have as many levels or more. */
    public CriticalPath path() {
      return paths.stream()
          .sorted(Comparator.comparingDouble(CriticalPath::perOperation))
          .toList()
          .get((paths.size() - 1) / 2);
    }

    /** Levels per operation under each schedule. */
    public DoubleSummaryStatistics levels() {
      return paths.stream().mapToDouble(CriticalPath::perOperation).summaryStatistics();
    }
  }

  private static final long EVENTS_PER_INSERT = 30;

  private final QueueSpec queue;
  private final int threads;
  private final long inserts;
  private final List<Analysis> analyses;

  public QueueExperiment(QueueSpec queue, int threads, long inserts, List<Analysis> analyses) {
    this.queue = queue;
    this.threads = threads;
    this.inserts = inserts;
    this.analyses = List.copyOf(analyses);
  }

  public QueueSpec queue() {
    return queue;
  }

  public int threads() {
    return threads;
  }

  /** Runs the program under each policy; {@code progress} is told the events traced so far. */
  public List<Cell> run(List<SchedulePolicy> policies, LongConsumer progress) {
    List<List<CriticalPath>> paths = new ArrayList<>();
    analyses.forEach(_ -> paths.add(new ArrayList<>()));
    for (int i = 0; i < policies.size(); i++) {
      long before = i * inserts * EVENTS_PER_INSERT;
      List<CriticalPath> found = run(policies.get(i), events -> progress.accept(before + events));
      for (int j = 0; j < found.size(); j++) {
        paths.get(j).add(found.get(j));
      }
    }
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < analyses.size(); i++) {
      cells.add(new Cell(queue.name(), threads, analyses.get(i).label, paths.get(i)));
    }
    return cells;
  }

  private List<CriticalPath> run(SchedulePolicy policy, LongConsumer progress) {
    List<CriticalPathAnalyzer> analyzers = new ArrayList<>();
    for (Analysis analysis : analyses) {
      analyzers.add(new CriticalPathAnalyzer(analysis.model, analysis.options));
    }
    TraceSink all = TraceSink.all(analyzers);
    QueueRun.trace(
        queue,
        threads,
        inserts,
        policy,
        batch -> {
          all.accept(batch);
          progress.accept(batch.firstSequence() + batch.count());
        });
    return analyzers.stream().map(CriticalPathAnalyzer::result).toList();
  }
}
