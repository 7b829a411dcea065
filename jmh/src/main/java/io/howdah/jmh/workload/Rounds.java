package io.howdah.jmh.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Measures subjects in turns: A B C, A B C, ... On a shared machine the same program is twice as
 * fast in one minute as in the next, so what is compared must run side by side.
 */
public final class Rounds {

  private final List<Subject> subjects = new ArrayList<>();
  private boolean shuffled;
  private boolean mirrored;

  /** Creates one without subjects. */
  public Rounds() {}

  private record Subject(String name, Measurement measurement) {}

  /** One round of one subject. */
  @FunctionalInterface
  public interface Measurement {
    /** Runs and returns the figure, for instance a rate. */
    double run() throws Exception;
  }

  /** Told what is about to run. */
  @FunctionalInterface
  public interface Progress {
    /** A subject starts its turn; {@code step} counts from 0 to {@code steps - 1}. */
    void next(int step, int steps, String subject);
  }

  /** Adds a subject; the names differ. */
  public Rounds add(String name, Measurement measurement) {
    if (subjects.stream().anyMatch(s -> s.name().equals(name))) {
      throw new IllegalArgumentException("two subjects are named " + name);
    }
    subjects.add(new Subject(name, measurement));
    return this;
  }

  /**
   * Has each round an order of its own, always the same ones: else a subject would always come
   * after the same other one, and a processor that has just waited for the disk is a faster one.
   */
  public Rounds shuffled() {
    shuffled = true;
    return this;
  }

  /**
   * Has every other round the order of the one before backwards, A B B A A B ...: what gets slowly
   * faster or slower by itself is then no gain or loss of the subject that comes second.
   */
  public Rounds mirrored() {
    mirrored = true;
    return this;
  }

  /**
   * Runs.
   *
   * @param warmUps rounds whose figures do not count, for the compilers to settle
   * @param rounds rounds that count, at least 1
   */
  public Samples run(int warmUps, int rounds, Progress progress) throws Exception {
    double[][] figures = new double[subjects.size()][rounds];
    int step = 0;
    int steps = (warmUps + rounds) * subjects.size();
    for (int round = -warmUps; round < rounds; round++) {
      for (int i : order(round)) {
        Subject subject = subjects.get(i);
        progress.next(step++, steps, subject.name());
        double figure = subject.measurement().run();
        if (round >= 0) {
          figures[i][round] = figure;
        }
      }
    }
    Map<String, List<Double>> samples = new LinkedHashMap<>();
    for (int i = 0; i < figures.length; i++) {
      samples.put(subjects.get(i).name(), Arrays.stream(figures[i]).boxed().toList());
    }
    return new Samples(samples);
  }

  private List<Integer> order(int round) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < subjects.size(); i++) {
      order.add(i);
    }
    if (mirrored && (round & 1) != 0) {
      Collections.reverse(order);
    }
    if (shuffled) {
      Collections.shuffle(order, new Random(round));
    }
    return order;
  }

  /** What each subject scored, round by round. Immutable. */
  public static final class Samples {

    private final Map<String, List<Double>> samples;

    private Samples(Map<String, List<Double>> samples) {
      this.samples = samples;
    }

    /** Returns the figures of a subject, in the order of the rounds. */
    public List<Double> of(String subject) {
      List<Double> found = samples.get(subject);
      if (found == null) {
        throw new IllegalArgumentException("no subject " + subject + " in " + samples.keySet());
      }
      return found;
    }

    /** Returns, for each round, how one subject compares to another in the same round. */
    public List<Double> ratios(String numerator, String denominator) {
      List<Double> above = of(numerator);
      List<Double> below = of(denominator);
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < above.size(); i++) {
        ratios.add(above.get(i) / below.get(i));
      }
      return List.copyOf(ratios);
    }
  }

  /**
   * Returns whether a baseline moved by more than a quarter, so that what was measured beside it
   * deserves doubt.
   */
  public static boolean isNoisy(List<Double> baseline) {
    return Collections.max(baseline) > Collections.min(baseline) * 1.25;
  }
}
