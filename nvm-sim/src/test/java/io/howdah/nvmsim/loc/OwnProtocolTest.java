package io.howdah.nvmsim.loc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.study.loc.TraceRun;
import io.howdah.nvmsim.workload.AccessTrace;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A protocol built on {@link OwnProtocol} is timed and counted like the paper's. */
final class OwnProtocolTest {
  private static final AccessTrace TRACE = WorkloadKind.SPS.trace(256, 1, 1, 1);
  private static final CoreConfig CONFIG = CoreConfig.paper(TRACE.lines());

  /** The old content of each line to the log, then the lines home, then the mark. */
  private static OwnProtocol undo(boolean waits) {
    return new OwnProtocol(CONFIG, null) {
      private int logged;

      @Override
      protected void firstStore(long txId, long line) {
        writeLog(logged++ % logLines(), line);
        if (waits) {
          awaitDurable();
        }
      }

      @Override
      protected void commitLines(long txId, Set<Long> changed) {
        changed.forEach(this::writeHome);
        awaitDurable();
        writeLog(logged++ % logLines(), txId);
        awaitDurable();
        durable(txId);
      }

      @Override
      protected void abortLines(long txId, Set<Long> changed) {}
    };
  }

  @Test
  void linesAndWaitsAreCountedPerTransaction() {
    TraceRun run = TraceRun.of(TRACE, undo(true));
    // A swap changes two lines: two log lines, two home lines and the mark.
    assertThat(run.transactions()).isEqualTo(256);
    assertThat(run.traffic().homeWrites()).isLessThanOrEqualTo(2 * 256).isGreaterThan(500);
    assertThat(run.traffic().logLines()).isEqualTo(run.traffic().homeWrites() + 256);
    assertThat(run.traffic().waits()).isEqualTo(run.traffic().homeWrites() + 2 * 256);
  }

  @Test
  void waitingForEachLogLineCostsTime() {
    TraceRun base = TraceRun.of(TRACE, Protocol.BASE.newCore(CONFIG, 1, null));
    TraceRun eager = TraceRun.of(TRACE, undo(false));
    TraceRun patient = TraceRun.of(TRACE, undo(true));
    assertThat(base.timePs()).isLessThan(eager.timePs());
    assertThat(eager.timePs()).isLessThan(patient.timePs());
  }

  @Test
  void oneTransactionIsOpenAtATime() {
    OwnProtocol core = undo(true);
    long first = core.begin();
    assertThatThrownBy(core::begin).isInstanceOf(IllegalStateException.class);
    core.abort(first);
    assertThatThrownBy(() -> core.commit(first)).isInstanceOf(IllegalStateException.class);
    assertThat(core.begin()).isEqualTo(first + 1);
  }
}
