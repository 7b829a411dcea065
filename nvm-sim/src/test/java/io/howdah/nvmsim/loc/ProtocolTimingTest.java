package io.howdah.nvmsim.loc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.howdah.nvmsim.study.loc.Setting;
import io.howdah.nvmsim.study.loc.TraceRun;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.AccessTrace;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The orders and identities that do not depend on the machine's constants. */
@Tag("scaled")
final class ProtocolTimingTest {
  private static final int TRANSACTIONS = 512 / Integer.getInteger("howdah.stride", 4);

  private static TraceRun run(AccessTrace trace, Protocol protocol, int degree) {
    return Setting.paper(protocol, degree).run(trace);
  }

  @ParameterizedTest
  @EnumSource
  void protocolsKeepTheirOrder(WorkloadKind kind) {
    AccessTrace trace = kind.trace(TRANSACTIONS, 2, 1, 1);
    double base = run(trace, Protocol.BASE, 1).throughput();
    double software = run(trace, Protocol.S_WAL, 1).throughput();
    double hardware = run(trace, Protocol.H_WAL, 1).throughput();
    double eager = run(trace, Protocol.EC_WAL, 1).throughput();
    double loose = run(trace, Protocol.LOC_WAL, 16).throughput();
    double kiln = run(trace, Protocol.KILN, 1).throughput();
    double looseKiln = run(trace, Protocol.LOC_KILN, 16).throughput();
    assertThat(software).isLessThan(hardware);
    assertThat(hardware).isLessThan(eager).isLessThan(kiln);
    assertThat(eager).isLessThan(loose);
    assertThat(loose).isLessThan(looseKiln);
    assertThat(kiln).isLessThan(looseKiln);
    assertThat(looseKiln).isLessThan(base);
  }

  /** One operation per transaction: the least log, so what else a commit waits for shows most. */
  @ParameterizedTest
  @EnumSource
  void protocolsKeepTheirOrderAtEveryLatency(WorkloadKind kind) {
    AccessTrace trace = kind.trace(4 * TRANSACTIONS, 1, 1, 1);
    for (int latencyNs : new int[] {35, 95, 168, 1000}) {
      DeviceTiming memory = DeviceTiming.fixed(latencyNs);
      double before = 0;
      for (Protocol protocol :
          List.of(
              Protocol.S_WAL,
              Protocol.H_WAL,
              Protocol.EC_WAL,
              Protocol.LOC_WAL,
              Protocol.LOC_KILN)) {
        double now = Setting.paper(protocol, 16).withMemory(memory).run(trace).throughput();
        // Groups of seven blocks, which db has most of, still meet the head's bank.
        double tie = kind == WorkloadKind.DB && latencyNs == 1000 ? 0.98 : 1;
        assertThat(now).as("%s at %d ns", protocol.text(), latencyNs).isGreaterThan(tie * before);
        before = now;
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWindowOfOneIsEagerCommitAndLargerOnesAreFaster(WorkloadKind kind) {
    AccessTrace trace = kind.trace(TRANSACTIONS, 2, 1, 1);
    TraceRun eager = run(trace, Protocol.EC_WAL, 1);
    assertThat(run(trace, Protocol.LOC_WAL, 1).timePs()).isEqualTo(eager.timePs());
    double before = 0;
    long coalesced = 0;
    for (int degree = 1; degree <= 32; degree *= 2) {
      TraceRun now = run(trace, Protocol.LOC_WAL, degree);
      assertThat(now.throughput()).as("degree %d", degree).isGreaterThan(before);
      assertThat(now.traffic().coalesced()).isGreaterThanOrEqualTo(coalesced);
      assertThat(now.traffic().logLines()).isLessThanOrEqualTo(eager.traffic().logLines());
      before = now.throughput();
      coalesced = now.traffic().coalesced();
    }
  }

  @Test
  void everyVersionIsLoggedOrLeftToALaterOne() {
    AccessTrace trace = WorkloadKind.HASH.trace(TRANSACTIONS, 2, 1, 1);
    Traffic eager = run(trace, Protocol.EC_WAL, 1).traffic();
    Traffic loose = run(trace, Protocol.LOC_WAL, 16).traffic();
    assertThat(loose.logBlocks() + loose.coalesced()).isEqualTo(eager.logBlocks());
    assertThat(loose.coalesced()).isPositive();
  }

  @Test
  void aFullGroupCostsOneLineInEight() {
    // Swaps of a large window: nearly all groups are full.
    AccessTrace trace = WorkloadKind.SPS.trace(TRANSACTIONS, 64, 1, 1);
    Traffic traffic = run(trace, Protocol.LOC_WAL, 32).traffic();
    double overhead = (double) traffic.logMeta() / traffic.logBlocks();
    assertThat(overhead).isBetween(1.0 / 7, 1.0 / 7 + 0.002);
  }

  @Test
  void hardwareLoggingWritesOneRecordPerTransactionAndEagerCommitNone() {
    AccessTrace trace = WorkloadKind.SPS.trace(TRANSACTIONS, 2, 1, 1);
    Traffic hardware = run(trace, Protocol.H_WAL, 1).traffic();
    Traffic eager = run(trace, Protocol.EC_WAL, 1).traffic();
    assertThat(hardware.commitRecords).isEqualTo(TRANSACTIONS);
    assertThat(eager.commitRecords).isZero();
    assertThat(hardware.logBlocks()).isEqualTo(eager.logBlocks());
    assertThat(hardware.waits()).isEqualTo(3L * TRANSACTIONS);
    assertThat(eager.waits()).isEqualTo(2L * TRANSACTIONS);
  }

  @ParameterizedTest
  @EnumSource
  void slowerMemoryHurtsStrictOrderMore(WorkloadKind kind) {
    AccessTrace trace = kind.trace(TRANSACTIONS, 2, 1, 1);
    double hardwareBefore = 1;
    double gainBefore = 0;
    for (int latencyNs : new int[] {35, 95, 168, 1000}) {
      DeviceTiming memory = DeviceTiming.fixed(latencyNs);
      double base = Setting.paper(Protocol.BASE, 1).withMemory(memory).run(trace).throughput();
      double hardware =
          Setting.paper(Protocol.H_WAL, 1).withMemory(memory).run(trace).throughput() / base;
      double loose =
          Setting.paper(Protocol.LOC_WAL, 16).withMemory(memory).run(trace).throughput() / base;
      assertThat(hardware).isLessThan(hardwareBefore);
      assertThat(loose / hardware).isGreaterThan(gainBefore);
      hardwareBefore = hardware;
      gainBefore = loose / hardware;
    }
  }

  @Test
  void theSoftwareWaitIsPaidThreeTimesPerTransaction() {
    AccessTrace trace = WorkloadKind.SPS.trace(TRANSACTIONS, 2, 1, 1);
    Setting setting = Setting.paper(Protocol.S_WAL, 1);
    long free = setting.run(trace).timePs();
    long slow = setting.withSoftwareWaitNs(250).run(trace).timePs();
    assertThat((double) (slow - free) / TRANSACTIONS).isBetween(0.9 * 750_000, 1.1 * 750_000);
  }

  @Test
  void withoutAtomicGroupsEagerCommitWaitsOnceMore() {
    AccessTrace trace = WorkloadKind.SPS.trace(TRANSACTIONS, 2, 1, 1);
    Setting eager = Setting.paper(Protocol.EC_WAL, 1);
    TraceRun words = eager.withAtomicGroups(false).run(trace);
    assertThat(words.traffic().waits()).isEqualTo(3L * TRANSACTIONS);
    assertThat(words.timePs()).isGreaterThan(eager.run(trace).timePs());
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "BASE")
  void contentsDoNotChangeTheTiming(Protocol protocol) {
    AccessTrace trace = WorkloadKind.HASH.trace(256, 2, 1, 1);
    CoreConfig config =
        new CoreConfig(
            CoreConfig.paper(1).caches(),
            DeviceTiming.fixed(168),
            trace.lines(),
            4096,
            true,
            0,
            false);
    long[] memory = new long[Recovery.memoryLines(protocol, config) * 8];
    Recovery.format(protocol, config, memory);
    TransactionCore core = protocol.newCore(config, 16, new Contents(memory, new NoSink()));
    assertThat(TraceRun.of(trace, core).timePs())
        .isEqualTo(TraceRun.of(trace, protocol.newCore(config, 16, null)).timePs());
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsAllocatedPerEvent(Protocol protocol) {
    AccessTrace trace = WorkloadKind.TPCB.trace(TRANSACTIONS, 2, 1, 1);
    TransactionCore core = protocol.newCore(CoreConfig.paper(trace.lines()), 16, null);
    TraceRun.of(trace, core);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
    TraceRun.of(trace, core);
    long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().threadId()) - before;
    assertThat(allocated).as("bytes for %d accesses", trace.length()).isLessThan(4096);
  }

  @Test
  void impossibleConfigurationsAreRefused() {
    CoreConfig config = CoreConfig.paper(100);
    for (int degree : new int[] {0, 33}) {
      assertThatThrownBy(() -> Protocol.LOC_WAL.newCore(config, degree, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("speculation degree must be 1 to 32: " + degree);
    }
    assertThatThrownBy(() -> Protocol.of("nonsense")).hasMessageContaining("no protocol");
    assertThatThrownBy(() -> Setting.paper(Protocol.BASE, 1).withCachePercent(60))
        .hasMessageContaining("caches must be 25, 50, 100");
    assertThatThrownBy(
            () -> new CoreConfig(config.caches(), config.memory(), 100, 1, true, 0, false))
        .hasMessageContaining("log area too small");
  }

  @Test
  void aWindowLargerThanTheLogAreaIsRefusedByName() {
    AccessTrace trace = WorkloadKind.SPS.trace(256, 64, 1, 1);
    CoreConfig config =
        new CoreConfig(
            CoreConfig.paper(1).caches(),
            DeviceTiming.fixed(168),
            trace.lines(),
            16,
            true,
            0,
            false);
    assertThatThrownBy(() -> TraceRun.of(trace, Protocol.LOC_WAL.newCore(config, 16, null)))
        .isInstanceOf(LogAreaFullException.class)
        .hasMessageContaining("it has 16 block groups")
        .hasMessageContaining("window of 16");
    assertThatThrownBy(() -> TraceRun.of(trace, Protocol.S_WAL.newCore(config, 1, null)))
        .isInstanceOf(LogAreaFullException.class);
  }

  private static final class NoSink implements PersistSink {
    @Override
    public void line(long line, long[] words, int offset) {}

    @Override
    public void group(long line, long[] words, int blocks) {}

    @Override
    public void waited() {}

    @Override
    public void reported(long txId) {}
  }
}
