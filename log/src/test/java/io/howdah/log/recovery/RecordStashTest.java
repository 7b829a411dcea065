package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that wait for their turn in memory: where they lie, and when memory is used again. */
class RecordStashTest {

  private static final int CHUNK_BYTES = 1 << 24;
  private static final int NODE_BYTES = 16;
  private static final int AT = 24;

  private final SimulatedDisk disk = SimulatedDisk.seeded(9);
  private final StagingMemory memory = new StagingMemory();
  private final RecordStash stash = new RecordStash(disk.storage(), memory);

  @AfterEach
  void end() {
    stash.close();
    memory.close();
  }

  private static ByteBuffer record(long lsn, int length) {
    return ByteBuffer.allocate(AT + length + 8)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(AT, RedoRecordLayout.head(length, RedoRecordLayout.KIND_COMMIT, 1))
        .putLong(AT + RedoRecordLayout.LSN_OFFSET, lsn)
        .putLong(AT + RedoRecordLayout.DEP_OFFSET, lsn - 1)
        .putLong(AT + length - 8, ~lsn);
  }

  private long add(long lsn, int length, long parts) {
    return stash.add(record(lsn, length), AT, length, parts);
  }

  private void requireRecord(long node, long lsn, int length) {
    assertThat(stash.lsn(node)).isEqualTo(lsn);
    assertThat(stash.dep(node)).isEqualTo(lsn - 1);
    ByteBuffer record = stash.record(node);
    assertThat(record.limit()).isEqualTo(length);
    assertThat(record.getLong(length - 8)).isEqualTo(~lsn);
  }

  @Test
  void aRecordThatDoesNotFitGoesToTheNextChunk() {
    int length = RedoRecordLayout.MAX_LENGTH;
    List<Long> nodes = new ArrayList<>();
    for (int i = 0; i < 33; i++) {
      nodes.add(add(i + 1, length, 0));
    }
    for (int i = 0; i < 33; i++) {
      requireRecord(nodes.get(i), i + 1, length);
    }
    assertThat(nodes.get(30)).isLessThan(CHUNK_BYTES);
    assertThat(nodes.get(31)).isEqualTo(CHUNK_BYTES);
    assertThat(disk.operations(Operation.ALLOCATE)).isEqualTo(2);
  }

  @Test
  void aChunkIsFilledToItsLastByte() {
    int length = RedoRecordLayout.MAX_LENGTH;
    long node = 0;
    for (int i = 0; i < 31; i++) {
      node = add(i + 1, length, 0);
    }
    int rest = (int) (CHUNK_BYTES - (node + NODE_BYTES + length) - NODE_BYTES);
    node = add(40, rest, 0);
    assertThat(disk.operations(Operation.ALLOCATE)).isEqualTo(1);
    requireRecord(node, 40, rest);
    assertThat(add(41, 64, 0)).isEqualTo(CHUNK_BYTES);
    requireRecord(node, 40, rest);
  }

  @Test
  void anEmptyStashBeginsAnewAndForgetsLinks() {
    long first = add(1, 64, 77);
    long second = add(2, 64, 0);
    assertThat(second).isEqualTo(first + NODE_BYTES + 64);
    stash.link(first, second);
    assertThat(stash.next(first)).isEqualTo(second);
    assertThat(stash.partsHead(first)).isEqualTo(77);
    stash.drop();
    long third = add(3, 64, 0);
    assertThat(third).isGreaterThan(second);
    stash.drop();
    stash.drop();
    assertThat(add(4, 64, 0)).isEqualTo(first);
    assertThat(stash.next(first)).isZero();
    assertThat(stash.partsHead(first)).isZero();
    requireRecord(first, 4, 64);
  }

  @Test
  void closingGivesItsMemoryBack() {
    long node = add(1, 64, 0);
    stash.close();
    assertThatThrownBy(() -> stash.lsn(node)).isInstanceOf(RuntimeException.class);
  }
}
