package io.howdah.nvmsim.thynvm.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The flush at the end of an epoch (§4.4) writes back every line that the epoch changed. */
final class CoreFlushTest {
  private static final long EPOCH_PS = 1_000_000;
  private static final int LINE_BYTES = 64;

  /** Memory with short epochs that notes which changed lines a flush has missed. */
  private static class Epochs implements MemorySystem {
    private final Set<Long> changed = new HashSet<>();
    private DirtyLines caches = DirtyLines.NONE;
    private long begin;
    private long epochs;
    private long missed;
    private long storing = -1;
    private boolean written;

    void store(Core core, long line) {
      storing = line;
      written = false;
      core.store(line * LINE_BYTES);
      storing = -1;
      if (!written) {
        changed.add(line);
      }
    }

    @Override
    public long read(long nowPs, long line) {
      return nowPs + 80_000;
    }

    @Override
    public long writeBack(long nowPs, long line) {
      changed.remove(line);
      written |= line == storing;
      return nowPs + 5000;
    }

    @Override
    public void attach(DirtyLines lines) {
      caches = lines;
    }

    @Override
    public long epochEnds() {
      return begin + EPOCH_PS;
    }

    @Override
    public long endDueEpoch(long nowPs) {
      return nowPs - begin >= EPOCH_PS ? persistNow(nowPs) : nowPs;
    }

    @Override
    public long persistNow(long nowPs) {
      epochs++;
      begin = caches.flush(nowPs);
      missed += changed.size();
      changed.clear();
      return begin;
    }

    @Override
    public SystemStats stats() {
      return new SystemStats(0, 0, 0, 0, 0, 0, 0);
    }
  }

  @Test
  void aLineWhoseFirstStoreSpansTheEndOfAnEpochIsFlushedWithTheNext() {
    Epochs memory = new Epochs();
    Core core = new Core(memory, true);
    core.work(599); // the miss of the next store lasts until after the epoch
    for (int i = 0; i < 1000; i++) {
      memory.store(core, 5);
    }
    assertThat(memory.epochs).isGreaterThan(1);
    assertThat(memory.missed).isZero();
  }

  @Test
  void noFlushMissesALineThatARandomProgramChanged() {
    Epochs memory = new Epochs();
    Core core = new Core(memory, true);
    Random random = new Random(1);
    for (int i = 0; i < 50_000; i++) {
      long line = random.nextInt(1 << 14);
      memory.store(core, line);
      memory.store(core, line);
    }
    assertThat(memory.epochs).isGreaterThan(1000);
    assertThat(memory.missed).isZero();
  }

  /** The epoch ends when the line leaves another one's place, before the store marks it. */
  @Test
  void aLineThatAnEvictionsEpochMissesIsFlushedWithTheNext() {
    Epochs memory =
        new Epochs() {
          private boolean ended;

          @Override
          public long read(long nowPs, long line) {
            if (line == 7 && !ended) {
              ended = true;
              return persistNow(nowPs);
            }
            return super.read(nowPs, line);
          }
        };
    Core core = new Core(memory, true);
    memory.store(core, 7);
    core.persistNow();
    assertThat(memory.epochs).isEqualTo(2);
    assertThat(memory.missed).isZero();
  }

  @Test
  void aLineThatTheProgramWroteBackItselfIsNotedAgain() {
    Epochs memory = new Epochs();
    Core core = new Core(memory, true);
    memory.store(core, 5);
    core.writeBackLine(5 * LINE_BYTES);
    memory.store(core, 5);
    core.persistNow();
    assertThat(memory.missed).isZero();
  }

  @Test
  void anAccessOfL1TakesItsFourCyclesWhateverTheFlush() {
    for (boolean flush : new boolean[] {false, true}) {
      Core core = new Core(new IdealMemory(MemoryTiming.PAPER, true), flush);
      core.store(0);
      core.store(0);
      core.beginMeasurement();
      core.load(0);
      long load = core.result().elapsedPs();
      core.store(0);
      assertThat(load).isEqualTo((Core.CYCLES_PER_INSTRUCTION + 4) * Core.CYCLE_PS);
      assertThat(core.result().elapsedPs()).isEqualTo(2 * load);
    }
  }
}
