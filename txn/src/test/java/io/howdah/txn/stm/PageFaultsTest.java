package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnavailablePageException;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.words.WriteSet;
import io.howdah.txn.words.WrittenRows;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a transaction is told of a fault, and which pages are looked at for it. */
final class PageFaultsTest {

  private static final long PAGE = 4096;
  private static final int PAGES_BEYOND = 16;
  private static final int MAX_SUSPECTS = 4096;
  private static final long TOP = 40_960;

  private final SmallEngine engine = new SmallEngine();
  private final Attempt attempt = engine.attempts.take();
  private final RegionOfFaults region = new RegionOfFaults();
  private final List<Throwable> fatal = new ArrayList<>();
  private final PageFaults faults = new PageFaults(region, fatal::add);

  @BeforeEach
  void begin() {
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, TOP);
    attempt.begin(false);
  }

  @AfterEach
  void close() {
    engine.attempts.give(attempt);
    region.close();
    engine.close();
  }

  private RuntimeException told() {
    return faults.of(RegionOfFaults.fault(), attempt);
  }

  private static long[] beyond(long top) {
    return LongStream.range(0, PAGES_BEYOND).map(i -> top + i * PAGE).toArray();
  }

  private void putRow(long address) {
    WriteSet writes = attempt.words.writes;
    assertThat(writes.beginRow(address, WrittenRows.MIN_WORDS)).isTrue();
    writes.rows().add(address, new long[WrittenRows.MIN_WORDS], WrittenRows.MIN_WORDS);
    writes.endRow();
  }

  @Test
  void anErrorOfTheProgramIsThrownOn() {
    InternalError own = new InternalError("of the body");
    assertThatThrownBy(() -> faults.of(own, attempt)).isSameAs(own);
    assertThat(region.explained).isZero();
  }

  @Test
  void aPageThatCannotBeHadIsToldAndTheStoreGoesOn() {
    assertThat(told()).isInstanceOf(UnavailablePageException.class);
    assertThat(fatal).isEmpty();
  }

  @Test
  void pagesThatAreLostStopTheStore() {
    region.explanation = new CorruptStoreException("region", 8, "was truncated");
    assertThat(told())
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("this transaction had no effect: ")
        .hasMessageContaining("was truncated")
        .hasCause(region.explanation);
    assertThat(fatal).containsExactly(region.explanation);
  }

  @Test
  void withoutWritesOnlyAnAllocationCanHaveCausedIt() {
    told();
    assertThat(region.suspects).containsExactly(beyond(TOP));
  }

  @Test
  void aHeaderThatCannotBeReadIsSuspectedItself() {
    region.isUnreadable = true;
    told();
    assertThat(region.suspects).containsExactly(beyond(0));
  }

  /** Rows by their pages, the last byte included; then words, the latest first. */
  @Test
  void allThatWasWrittenIsSuspected() {
    attempt.words.writes.put(WORD, 1);
    attempt.words.writes.put(WORD + 8192, 2);
    putRow(5 * PAGE + 64);
    putRow(8 * PAGE - 32);
    putRow(10 * PAGE - 24);
    told();
    assertThat(region.suspects)
        .startsWith(5 * PAGE, 7 * PAGE, 9 * PAGE, 10 * PAGE, WORD + 8192, WORD)
        .endsWith(beyond(TOP))
        .hasSize(6 + PAGES_BEYOND);
  }

  @Test
  void nodesThatWereWrittenAreSuspectedToo() {
    long first = NodeLayout.reference(4 * PAGE + 1024, NodeLayout.MIN_BYTES);
    long second = NodeLayout.reference(6 * PAGE, NodeLayout.MAX_BYTES);
    attempt.words.nodes.write(first, 3, 1);
    attempt.words.nodes.write(second, 3, 1);
    attempt.words.writes.put(WORD, 1);
    told();
    assertThat(region.suspects)
        .startsWith(6 * PAGE, 4 * PAGE + 1024, WORD)
        .endsWith(beyond(TOP))
        .hasSize(3 + PAGES_BEYOND);
  }

  @Test
  void ofManyWordsTheLatestAreSuspected() {
    for (int i = 0; i <= MAX_SUSPECTS; i++) {
      attempt.words.writes.put(WORD + 32L * i, i);
    }
    told();
    assertThat(region.suspects)
        .startsWith(WORD + 32L * MAX_SUSPECTS)
        .hasSize(MAX_SUSPECTS + PAGES_BEYOND)
        .endsWith(beyond(TOP))
        .contains(WORD + 32)
        .doesNotContain(WORD);
  }

  /** The first row has one page, all others two: the bound lies between the two of a row. */
  @Test
  void ofManyRowsTheFirstAreSuspected() {
    attempt.words.writes.limit(1 << 20);
    putRow(64);
    for (int i = 1; i <= MAX_SUSPECTS / 2 + 1; i++) {
      putRow(2 * PAGE * i - 16);
    }
    told();
    assertThat(region.suspects)
        .startsWith(0, PAGE, 2 * PAGE)
        .hasSize(MAX_SUSPECTS + PAGES_BEYOND)
        .endsWith(beyond(TOP));
    assertThat(region.suspects[MAX_SUSPECTS - 1]).isEqualTo((MAX_SUSPECTS - 1) * PAGE);
  }
}
