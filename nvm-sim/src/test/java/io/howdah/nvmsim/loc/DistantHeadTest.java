package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.timing.HierarchyGeometry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Heads of the log that lie far behind its last transaction, and far from the first one ever. */
final class DistantHeadTest {
  private static final int HOME = 10;
  private static final int GROUPS = 64;
  private static final int LINE_BYTES = 64;

  private final CoreConfig config =
      new CoreConfig(
          HierarchyGeometry.loc(), DeviceTiming.fixed(168), HOME, GROUPS, true, 0, false);

  private static final class PowerCut extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Memory behind the write queue: what is durable, and what is on its way. */
  private static final class Durable implements PersistSink {
    private final long[] words;
    private final List<Long> lines = new ArrayList<>();
    private final List<long[]> sent = new ArrayList<>();
    private boolean cutsAtWait;

    Durable(long[] words) {
      this.words = words;
    }

    @Override
    public void line(long line, long[] from, int offset) {
      lines.add(line);
      sent.add(Arrays.copyOfRange(from, offset, offset + LINE_WORDS));
    }

    @Override
    public void group(long line, long[] from, int blocks) {
      for (int i = 0; i < blocks; i++) {
        line(line + i, from, i * LINE_WORDS);
      }
      line(line + LogLayout.META, from, LogLayout.META * LINE_WORDS);
    }

    @Override
    public void waited() {
      if (cutsAtWait) {
        throw new PowerCut();
      }
      arriveExcept(-1);
      lines.clear();
      sent.clear();
    }

    /** Everything on its way arrives but what goes to one line. */
    void arriveExcept(long lost) {
      for (int i = 0; i < sent.size(); i++) {
        if (lines.get(i) != lost) {
          System.arraycopy(sent.get(i), 0, words, (int) (lines.get(i) * LINE_WORDS), LINE_WORDS);
        }
      }
    }

    @Override
    public void reported(long txId) {}
  }

  private long[] formatted(Protocol protocol) {
    long[] words = new long[Recovery.memoryLines(protocol, config) * LINE_WORDS];
    Recovery.format(protocol, config, words);
    return words;
  }

  private static void commitStore(TransactionCore core, int line, long value) {
    long txId = core.begin();
    core.store(txId, (long) line * LINE_BYTES, value);
    core.commit(txId);
  }

  /** The log of the last transaction arrives, no head behind the first transaction does. */
  @ParameterizedTest
  @CsvSource({
    "H_WAL, 1, 100, false",
    "H_WAL, 1, 100, true",
    "EC_WAL, 1, 95, false",
    "EC_WAL, 1, 100, true",
    "LOC_WAL, 16, 96, false",
    "LOC_WAL, 32, 96, true",
  })
  void recoveryReachesBehindTransactionsWithoutWork(
      Protocol protocol, int degree, int count, boolean aborted) {
    long[] memory = formatted(protocol);
    Durable durable = new Durable(memory.clone());
    TransactionCore core = protocol.newCore(config, degree, new Contents(memory, durable));
    commitStore(core, 0, 7);
    core.flush();
    for (int i = 0; i < count; i++) {
      long txId = core.begin();
      if (aborted) {
        core.store(txId, LINE_BYTES, 9);
        core.abort(txId);
      } else {
        core.commit(txId);
      }
    }
    durable.cutsAtWait = true;
    assertThatThrownBy(
            () -> {
              commitStore(core, 8, 5);
              core.flush();
            })
        .isInstanceOf(PowerCut.class);
    durable.arriveExcept(config.logLine());
    durable.cutsAtWait = false;
    Recovery.run(protocol, config, new Contents(durable.words, new Durable(durable.words.clone())));
    assertThat(durable.words[0]).isEqualTo(7);
    assertThat(durable.words[LINE_WORDS]).isZero();
  }

  /** The head's first word has 24 bits of a TxID, and all of them may be zero. */
  @Test
  void transactionIdsGoOnBeyondTheBitsOfTheHead() {
    long[] memory = formatted(Protocol.EC_WAL);
    long last = (1L << 24) - 1;
    int head = (int) config.logLine() * LINE_WORDS;
    memory[head] = LogLayout.head(1, last);
    memory[head + 1] = last;
    for (long txId = last; txId <= last + 3; txId++) {
      Contents contents = new Contents(memory, new Durable(memory.clone()));
      TransactionCore core = Protocol.EC_WAL.newCore(config, 1, contents);
      assertThat(core.nextTxId()).isEqualTo(txId);
      commitStore(core, 0, txId);
      core.flush();
      assertThat(core.lastCommittedTxId()).isEqualTo(txId);
      Recovery.run(Protocol.EC_WAL, config, contents);
      assertThat(memory[0]).isEqualTo(txId);
    }
  }

  @Test
  void aTransactionBeyondTheTxCntIsRefusedInWords() {
    CoreConfig large =
        new CoreConfig(
            HierarchyGeometry.loc(), DeviceTiming.fixed(168), 8192, 4096, true, 0, false);
    TransactionCore core = Protocol.EC_WAL.newCore(large, 1, null);
    long txId = core.begin();
    for (int line = 0; line <= LogLayout.MAX_TX_COUNT; line++) {
      core.store(txId, (long) line * LINE_BYTES, 1);
    }
    assertThatThrownBy(() -> core.commit(txId))
        .isInstanceOf(TransactionTooLargeException.class)
        .hasMessage(
            "transaction 1 changes 4096 lines of 64 bytes; the log counts up to 4095 blocks of a"
                + " transaction; make transactions smaller");
  }
}
