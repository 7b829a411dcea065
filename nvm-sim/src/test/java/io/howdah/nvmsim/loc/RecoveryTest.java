package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.timing.HierarchyGeometry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Recovery from logs written by hand, whole and damaged. */
final class RecoveryTest {
  private static final int HOME = 16;
  private static final int GROUPS = 8;
  private static final int LINE_BYTES = 64;
  private static final int A = 0;
  private static final int B = 1;
  private static final int C = 2;
  private static final int D = 3;

  private final CoreConfig config = config(true);
  private long[] memory = formatted();

  /** Memory as it was at each wait, everything sent before included. */
  private final List<long[]> atWaits = new ArrayList<>();

  private static CoreConfig config(boolean atomic) {
    return new CoreConfig(
        HierarchyGeometry.loc(), DeviceTiming.fixed(168), HOME, GROUPS, atomic, 0, false);
  }

  private long[] formatted() {
    long[] words = new long[Recovery.memoryLines(Protocol.LOC_WAL, config) * LINE_WORDS];
    Recovery.format(Protocol.LOC_WAL, config, words);
    return words;
  }

  private final class Snapshots implements PersistSink {
    @Override
    public void line(long line, long[] words, int offset) {}

    @Override
    public void group(long line, long[] words, int blocks) {}

    @Override
    public void waited() {
      atWaits.add(memory.clone());
    }

    @Override
    public void reported(long txId) {}
  }

  private TransactionCore core(int degree) {
    return Protocol.LOC_WAL.newCore(config, degree, new Contents(memory, new Snapshots()));
  }

  private static void store(TransactionCore core, long txId, int line, long value) {
    core.store(txId, (long) line * LINE_BYTES, value);
  }

  /** The paper's Figure 3 in outline: A of T1 is overwritten by T2, B and C by T3. */
  private long[] logOfThreeTransactions() {
    TransactionCore core = core(3);
    long first = core.begin();
    store(core, first, A, 11);
    store(core, first, B, 12);
    store(core, first, C, 13);
    core.commit(first);
    long second = core.begin();
    store(core, second, A, 21);
    core.commit(second);
    long third = core.begin();
    store(core, third, B, 32);
    store(core, third, C, 33);
    store(core, third, D, 34);
    core.commit(third);
    return atWaits.getFirst();
  }

  private void recover(long[] words) {
    Recovery.run(Protocol.LOC_WAL, config, new Contents(words, new Snapshots()));
  }

  private static int metaWord(int slot, int word) {
    int line = HOME + LogLayout.HEAD_LINES + slot * LogLayout.GROUP_LINES + LogLayout.META;
    return line * LINE_WORDS + word;
  }

  private static long home(long[] words, int line) {
    return words[line * LINE_WORDS];
  }

  @Test
  void onlyLatestVersionsAreLoggedAndAllOfThemComeHome() {
    long[] log = logOfThreeTransactions();
    assertThat(log[metaWord(1, 0)]).as("SID of the first group").isEqualTo(1);
    assertThat(home(log, A)).as("home before recovery").isZero();
    recover(log);
    assertThat(List.of(home(log, A), home(log, B), home(log, C), home(log, D)))
        .containsExactly(21L, 32L, 33L, 34L);
  }

  @Test
  void aTransactionIsOnlyKeptIfThoseItLeftItsBlocksToAre() {
    long[] log = logOfThreeTransactions();
    // Take away the block of D: T3 is incomplete, and T1 had left B and C to it.
    for (int i = 1; i <= LogLayout.BLOCKS; i++) {
      if (LogLayout.tagHome(log[metaWord(1, i)]) == D) {
        log[metaWord(1, i)] = 0;
      }
    }
    recover(log);
    assertThat(List.of(home(log, A), home(log, B), home(log, C), home(log, D)))
        .containsExactly(0L, 0L, 0L, 0L);
  }

  /** T1 left A to T3, T2 is incomplete: the published cut keeps half of T1. */
  @Test
  void aCutGoesOnUntilNothingIsLeftBehindIt() {
    TransactionCore core = core(3);
    long first = core.begin();
    store(core, first, A, 11);
    store(core, first, B, 12);
    core.commit(first);
    long second = core.begin();
    store(core, second, C, 23);
    core.commit(second);
    long third = core.begin();
    store(core, third, A, 31);
    core.commit(third);
    long[] log = atWaits.getFirst();
    for (int i = 1; i <= LogLayout.BLOCKS; i++) {
      if (LogLayout.tagHome(log[metaWord(1, i)]) == C) {
        log[metaWord(1, i)] = 0;
      }
    }
    recover(log);
    assertThat(List.of(home(log, A), home(log, B), home(log, C))).containsExactly(0L, 0L, 0L);
  }

  @Test
  void recoveredMemoryGoesOnWithTheNextTransaction() {
    memory = logOfThreeTransactions();
    recover(memory);
    TransactionCore next = core(3);
    assertThat(next.nextTxId()).isEqualTo(4);
    long txId = next.begin();
    store(next, txId, A, 41);
    next.commit(txId);
    next.flush();
    assertThat(next.lastCommittedTxId()).isEqualTo(4);
    assertThat(home(memory, A)).isEqualTo(41);
    assertThat(home(memory, B)).isEqualTo(32);
  }

  private void damaged(int slot, int word, long value, String group, String what) {
    long[] log = logOfThreeTransactions();
    long[] before = log.clone();
    log[metaWord(slot, word)] = value;
    before[metaWord(slot, word)] = value;
    assertThatThrownBy(() -> recover(log))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("block group " + group)
        .hasMessageContaining(what);
    assertThat(log).as("nothing is changed").isEqualTo(before);
    memory = formatted();
    atWaits.clear();
  }

  @Test
  void aDamagedGroupIsNamed() {
    damaged(1, 1, LogLayout.tag(0, 1, 0, HOME + 5), "1 in slot 1", "home line " + (HOME + 5));
    damaged(1, 1, LogLayout.tag(0, 500, 0, A), "1 in slot 1", "transaction 500 does not follow");
    damaged(1, 1, LogLayout.tag(1, 1, 0, A), "1 in slot 1", "another lap");
    damaged(1, 1, LogLayout.tag(0, 3, 9, A), "1 in slot 1", "TxCnt");
  }

  @Test
  void aDamagedEntryIsNamed() {
    long[] log = logOfThreeTransactions();
    boolean found = false;
    for (int i = 1; i <= LogLayout.BLOCKS && !found; i++) {
      if (LogLayout.tagHome(log[metaWord(1, i)]) == LogLayout.ENTRIES) {
        int line = HOME + LogLayout.HEAD_LINES + LogLayout.GROUP_LINES + i - 1;
        log[line * LINE_WORDS] |= 1;
        found = true;
      }
    }
    assertThat(found).isTrue();
    assertThatThrownBy(() -> recover(log))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("block group 1 in slot 1: entry 0x");
  }

  @Test
  void aDamagedHeadIsRefused() {
    long[] log = logOfThreeTransactions();
    log[HOME * LINE_WORDS] = 0;
    assertThatThrownBy(() -> recover(log))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("head is 0x0");
    long[] software = formatted();
    software[HOME * LINE_WORDS] = 5L << 24 | 2;
    assertThatThrownBy(
            () -> Recovery.run(Protocol.S_WAL, config, new Contents(software, new Snapshots())))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("block group 5 in slot 0: its SID is 0");
  }

  @Test
  void anAbortTakesAllLaterTransactionsWithIt() {
    TransactionCore core = core(4);
    long first = core.begin();
    store(core, first, A, 11);
    core.commit(first);
    long second = core.begin();
    long third = core.begin();
    store(core, second, A, 21);
    store(core, third, A, 31);
    store(core, third, B, 32);
    core.commit(third);
    core.abort(second);
    assertThat(core.peek(0)).isEqualTo(11);
    assertThat(core.peek(LINE_BYTES)).isZero();
    assertThatThrownBy(() -> core.commit(third)).hasMessageContaining("is not active");
    core.flush();
    assertThat(core.lastCommittedTxId()).isEqualTo(3);
    assertThat(home(memory, A)).isEqualTo(11);
    assertThat(home(memory, B)).isZero();
  }

  @Test
  void misuseIsRefused() {
    TransactionCore core = core(2);
    long first = core.begin();
    long second = core.begin();
    store(core, second, A, 1);
    assertThatThrownBy(() -> store(core, first, A, 2)).hasMessageContaining("later transaction");
    assertThatThrownBy(core::flush).hasMessageContaining("is active");
    assertThatThrownBy(core::begin).hasMessageContaining("is active");
    core.commit(second);
    assertThatThrownBy(() -> store(core, second, A, 2)).hasMessageContaining("is not active");
  }
}
