package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.queue.NativeRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.study.StudyProgress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The instruction rate of the untraced queues on this host.
 *
 * @param rates one per queue family and thread count; none if not measured
 */
record HostRates(List<Rate> rates) {
  private static final int SAMPLES = 5;
  private static final int CAPACITY = 1 << 16;
  private static final long WARM_UP_INSERTS = 100_000;
  private static final long SAMPLE_NS = 300_000_000;
  private static final double NOISY = 1.25;

  /**
   * A measured rate.
   *
   * @param family CWL or 2LC
   * @param threads inserting threads
   * @param insertNs time per insert, a sample each, sorted
   */
  record Rate(String family, int threads, List<Double> insertNs) {
    Rate {
      insertNs = List.copyOf(insertNs);
    }

    double medianNs() {
      return insertNs.get(insertNs.size() / 2);
    }

    boolean noisy() {
      return insertNs.getLast() > NOISY * insertNs.getFirst();
    }
  }

  HostRates {
    rates = List.copyOf(rates);
  }

  static HostRates measure(List<Integer> threads, long maxInserts, StudyProgress progress)
      throws InterruptedException {
    List<Rate> rates = new ArrayList<>();
    if (maxInserts > 0) {
      for (QueueSpec queue : List.of(QueueSpec.cwl(), QueueSpec.twoLockListed())) {
        for (int count : threads) {
          rates.add(measure(queue, count, maxInserts, progress));
        }
      }
    }
    return new HostRates(rates);
  }

  private static Rate measure(QueueSpec spec, int threads, long maxInserts, StudyProgress progress)
      throws InterruptedException {
    QueueSpec queue = spec.withCapacity(CAPACITY);
    String family = spec.name().substring(0, 3);
    long warmUp = Math.min(maxInserts, WARM_UP_INSERTS);
    double roughNs =
        Math.max(1, NativeRun.runFor(queue, threads, warmUp, SAMPLE_NS).nanosPerInsert());
    long inserts = Math.max(threads, Math.min(maxInserts, (long) (SAMPLE_NS / roughNs)));
    double[] samples = new double[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
      progress.show(
          "instruction rate of " + family + ", " + threads + " threads", (double) i / SAMPLES);
      samples[i] = NativeRun.runFor(queue, threads, inserts, SAMPLE_NS).nanosPerInsert();
    }
    Arrays.sort(samples);
    return new Rate(family, threads, Arrays.stream(samples).boxed().toList());
  }

  Optional<Rate> of(String family, int threads) {
    return rates.stream()
        .filter(rate -> rate.family.equals(family) && rate.threads == threads)
        .findFirst();
  }
}
