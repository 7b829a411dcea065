package io.howdah.jmh.study;

import io.howdah.jmh.process.ServerProcess;
import io.howdah.jmh.ycsb.KeySpace;
import io.howdah.jmh.ycsb.LoadGenerator;
import io.howdah.jmh.ycsb.Timeline;
import io.howdah.jmh.ycsb.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A cache beside a database, killed and started again: how the share of reads that it answers, and
 * the rate, come back.
 */
public final class WarmUpStudy {

  private static final int CONNECTIONS = 16;
  private static final int DEPTH = 4;

  private WarmUpStudy() {}

  /**
   * What is run.
   *
   * @param records that the database has; all of them are in the server before it is killed
   * @param databaseReads that the database answers in a second
   * @param stepMillis of the curve
   * @param steps of the curve after the server listens; the time until then comes before
   */
  public record Plan(
      int records, int valueBytes, double databaseReads, int stepMillis, int steps) {}

  /** Loads a server, kills it, starts it again, and returns the curve. */
  public static List<Timeline.Step> measure(
      Path folder, ServerSubject subject, Plan plan, StudyProgress progress)
      throws IOException, InterruptedException {
    Path own = folder.resolve(subject.name());
    Files.createDirectories(own);
    progress.begins("%s: loading %,d records".formatted(subject.name(), plan.records()));
    try (ServerProcess process = subject.starter().start(own, 1);
        LoadGenerator load = load(subject, process, plan)) {
      load.load();
      process.kill();
    }
    progress.begins("%s: after a kill".formatted(subject.name()));
    try (ServerProcess process = subject.starter().start(own, 1);
        LoadGenerator load = load(subject, process, plan)) {
      long stepNanos = plan.stepMillis() * 1_000_000L;
      int starting = (int) ((System.nanoTime() - process.startedNanos()) / stepNanos);
      Timeline timeline = new Timeline(process.startedNanos(), stepNanos, starting + plan.steps());
      load.lookAside(plan.databaseReads(), DEPTH, timeline);
      return timeline.steps();
    }
  }

  private static LoadGenerator load(ServerSubject subject, ServerProcess process, Plan plan)
      throws InterruptedException {
    return new LoadGenerator(
        subject.protocol(),
        process.awaitListening().address(),
        new KeySpace(plan.records(), KeySpace.Form.HASHED),
        new Values(plan.valueBytes()),
        1,
        CONNECTIONS);
  }
}
