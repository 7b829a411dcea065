package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.txn.TxOptions;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A read during which another transaction commits, between its look at the orec and the word. */
final class OvertakenReadTest {

  private static final long OTHER = WORD + 4096;
  private static final TxOptions READ_ONLY = TxOptions.defaults().withReadOnly();

  /** What happens before the next loads of the first word. */
  private final Queue<Runnable> overtaking = new ArrayDeque<>();

  private final SmallEngine engine = new SmallEngine(Overtaken::new);

  /** Memory in which something happens before a word is loaded. */
  private final class Overtaken extends ForwardingRegion {
    Overtaken(Region memory) {
      super(memory);
    }

    @Override
    public long getLongOpaque(long address) {
      Runnable next = address == WORD ? overtaking.poll() : null;
      if (next != null) {
        next.run();
      }
      return super.getLongOpaque(address);
    }
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private void putBoth(long value) {
    engine.call(
        tx -> {
          tx.putLong(WORD, value);
          tx.putLong(OTHER, value);
          return 0;
        });
  }

  /** Reads both words; others commit while the second one is read. */
  private List<Long> readBoth(TxOptions how) {
    return engine.call(how, tx -> List.of(tx.getLong(OTHER), tx.getLong(WORD)));
  }

  @Test
  void bothWordsAreOfOneCommit() {
    putBoth(1);
    overtaking.add(() -> putBoth(2));
    assertThat(readBoth(READ_ONLY)).containsExactly(2L, 2L);
    assertThat(overtaking).isEmpty();
  }
}
