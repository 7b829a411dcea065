package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Index;
import org.junit.jupiter.api.Test;

/** Buffers grow as they are needed, and give back what only an unusual value needed. */
final class CollectionScratchTest {

  private static final int KEPT = 1 << 16;
  private static final int FIRST = 512;

  private final CollectionScratch scratch = new CollectionScratch();

  @Test
  void anEntrysBufferGrowsAndKeepsItsContents() {
    byte[] first = scratch.entry;
    first[FIRST - 1] = 7;
    scratch.requireEntry(FIRST);
    assertThat(scratch.entry).as("long enough").isSameAs(first);
    scratch.requireEntry(FIRST + 1);
    assertThat(scratch.entry).hasSize(2 * FIRST).contains((byte) 7, Index.atIndex(FIRST - 1));
    scratch.requireEntry(10 * FIRST);
    assertThat(scratch.entry).hasSize(10 * FIRST);
    assertThat(scratch.entry[FIRST - 1]).isEqualTo((byte) 7);
  }

  @Test
  void bytesAreTheSameAsLongAsTheyAreLongEnough() {
    byte[] first = scratch.bytes(FIRST);
    assertThat(first).hasSize(FIRST);
    assertThat(scratch.bytes(0)).isSameAs(first);
    assertThat(scratch.bytes(FIRST + 1)).hasSize(2 * FIRST);
    assertThat(scratch.bytes(9 * FIRST)).hasSize(9 * FIRST);
  }

  @Test
  void whatAnUnusualValueNeededIsGivenBack() {
    scratch.requireEntry(KEPT);
    byte[] bytes = scratch.bytes(KEPT);
    byte[] entry = scratch.entry;
    scratch.trim();
    assertThat(scratch.entry).as("of usual length").isSameAs(entry);
    assertThat(scratch.bytes(1)).as("of usual length").isSameAs(bytes);

    scratch.requireEntry(KEPT + 1);
    scratch.bytes(KEPT + 1);
    scratch.trim();
    assertThat(scratch.entry).hasSize(FIRST);
    assertThat(scratch.bytes(1)).hasSize(FIRST);
  }

  @Test
  void buffersWithinCodecsStayUnlessTheyAreDeeper() {
    CollectionScratch inner = scratch.inner();
    CollectionScratch innermost = inner.inner();
    assertThat(inner).isNotSameAs(scratch);
    assertThat(scratch.inner()).as("of the next codec").isSameAs(inner);
    assertThat(inner.time).as("the transaction has one time").isSameAs(scratch.time);
    inner.requireEntry(KEPT + 1);
    scratch.trim();
    assertThat(scratch.inner()).isSameAs(inner);
    assertThat(inner.entry).as("given back, too").hasSize(FIRST);
    assertThat(inner.inner()).isNotSameAs(innermost);
  }

  @Test
  void buffersWithinCodecsReadWithWhatTheOuterOnesReadWith() {
    Object attached = new Object();
    scratch.decoder.attach(attached);
    assertThat(scratch.inner().decoder.attachment()).isSameAs(attached);
  }
}
