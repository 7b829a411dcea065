package io.howdah.crashtest.persistorder;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.loc.LocMachine;
import io.howdah.nvmsim.study.loc.LocTrial;
import io.howdah.nvmsim.study.thynvm.Mode;
import io.howdah.nvmsim.study.thynvm.ThyNvmPlan;
import io.howdah.nvmsim.study.thynvm.ThyNvmTrial;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.nvmsim.workload.AccessTrace;
import io.howdah.nvmsim.workload.RecordedTransactions;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs of the store, recorded at its region's words, under the protocols of Loose-Ordering
 * Consistency: docs/nvm-sim-howdah.md has the figures.
 */
final class RecordedRunsTest {
  /**
   * How much is recorded.
   *
   * @param regionBytes no other region of the store has this size
   * @param words of data, or keys of the map
   */
  private record Size(long regionBytes, int words, int transactions) {}

  /** Fits the caches, as LOC's workloads do. */
  private static final Size SMALL = new Size(5 << 18, 4096, 2000);

  /** Does not: ThyNVM's epochs end because its tables are full. */
  private static final Size LARGE = new Size(5 << 23, 1 << 20, 40_000);

  /** A run: what a transaction does to a store that was prepared for it. */
  enum Run {
    /** Two accounts. */
    BANK,
    /** Six random words are read and written. */
    SIX_WORDS,
    /** A value of a hash map is replaced, or one is added. */
    MAP
  }

  private final TraceBuffer trace = new TraceBuffer(1 << 22);
  private volatile @Nullable RecordedWords words;

  /** The opening tries whether there is so much memory before it takes it; the last one counts. */
  private Region observe(Region region, Size size) {
    if (region.capacityBytes() != size.regionBytes) {
      return region;
    }
    RecordedWords observed = new RecordedWords(region, trace);
    words = observed;
    return observed;
  }

  private StudyOutcome recordAndRun(Run run) throws IOException {
    LocTrial trial = new LocTrial(LocMachine.HEADLINE, run.toString(), List.of());
    trial.run(run.toString(), record(run, SMALL));
    return trial.outcome();
  }

  private AccessTrace record(Run run, Size size) throws IOException {
    Storage storage =
        new RecordedStorage(
            SimulatedDisk.seeded(1).storage(), new FileOrder(), region -> observe(region, size));
    try (Store store =
        Store.open(
            StoreOptions.defaults()
                .withStorage(storage)
                .withPartitions(1)
                .withMaxSize(size.regionBytes))) {
      RandomGenerator random = new SplittableRandom(1);
      Transaction transaction = prepare(run, store, size.words);
      RecordedWords recorded = requireNonNull(words, "no region of the store's size");
      for (int i = 0; i < size.transactions; i++) {
        recorded.operation(true, i);
        transaction.run(random);
        recorded.operation(false, i);
      }
    }
    return RecordedTransactions.read(trace.source(), 1);
  }

  private interface Transaction {
    void run(RandomGenerator random);
  }

  private static Transaction prepare(Run run, Store store, int words) {
    if (run == Run.MAP) {
      var map = store.map("numbers", Codec.int64(), Codec.int64());
      return random -> {
        long key = random.nextInt(words);
        store.run(
            TxOptions.of(Durability.ASYNC),
            tx -> {
              map.put(tx, key, key + 1);
            });
      };
    }
    store.run(TxOptions.of(Durability.ASYNC), tx -> tx.root(0, tx.allocate(words * 8L)));
    int changed = run == Run.BANK ? 2 : 6;
    return random ->
        store.run(
            TxOptions.of(Durability.ASYNC),
            tx -> {
              long base = tx.root(0);
              for (int i = 0; i < changed; i++) {
                long account = base + random.nextInt(words) * 8L;
                tx.putLong(account, tx.getLong(account) + 1 - 2L * (i & 1));
              }
            });
  }

  private static double value(StudyOutcome outcome, String name, Protocol protocol) {
    return outcome.values().stream()
        .filter(value -> value.name().equals(name))
        .filter(value -> protocol.text().equals(value.params().get("protocol")))
        .mapToDouble(StudyValue::value)
        .findFirst()
        .orElseThrow();
  }

  /** The orders that hold for the simulator's own workloads hold for the store's. */
  @ParameterizedTest
  @EnumSource
  void theProtocolsKeepTheirOrder(Run run) throws IOException {
    StudyOutcome outcome = recordAndRun(run);
    String throughput = "loc.normalizedThroughput";
    assertThat(value(outcome, throughput, Protocol.S_WAL))
        .isLessThan(value(outcome, throughput, Protocol.H_WAL));
    assertThat(value(outcome, throughput, Protocol.H_WAL))
        .isLessThan(value(outcome, throughput, Protocol.EC_WAL));
    assertThat(value(outcome, throughput, Protocol.EC_WAL))
        .isLessThan(value(outcome, throughput, Protocol.LOC_WAL));
    assertThat(value(outcome, throughput, Protocol.LOC_WAL))
        .isLessThan(value(outcome, throughput, Protocol.LOC_KILN));
  }

  private static double thyNvm(StudyOutcome outcome, String name, String system) {
    return outcome.values().stream()
        .filter(value -> value.name().equals(name) && system.equals(value.params().get("system")))
        .mapToDouble(StudyValue::value)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void thyNvmBeatsJournalAndShadowWhereMemoryIsWaitedFor(Run run) throws IOException {
    ThyNvmTrial trial =
        new ThyNvmTrial(new ThyNvmPlan(List.of(Mode.PAPER), 2048, 4096, 10, 1, 1, true));
    trial.run(run.toString(), record(run, LARGE));
    StudyOutcome outcome = trial.outcome();
    String time = "thynvm.trial.overIdealDram";
    double thynvm = thyNvm(outcome, time, "ThyNVM");
    if (run == Run.MAP) {
      // The caches hold the map, so the other systems hardly write; the BTT, of 2048 entries, ends
      // ThyNVM's epochs.
      assertThat(thynvm).isBetween(1.0, 1.15);
      return;
    }
    assertThat(thynvm).isLessThan(thyNvm(outcome, time, "Journal"));
    assertThat(thynvm).isLessThan(thyNvm(outcome, time, "Shadow"));
  }

  /** A transaction touches the words of its body and no others: there is no log in the region. */
  @Test
  void aTransferStoresTwoLines() throws IOException {
    StudyOutcome outcome = recordAndRun(Run.BANK);
    // Two lines home, their log blocks, the META line, the record and the head.
    assertThat(value(outcome, "loc.linesPerTransaction", Protocol.H_WAL)).isBetween(6.0, 9.0);
  }
}
