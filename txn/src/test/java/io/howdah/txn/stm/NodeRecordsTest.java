package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.Ring;
import io.howdah.txn.words.Counters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the log has of nodes: entries in the order of the rows, whole or in parts. */
final class NodeRecordsTest {

  private static final int PARTS_OF = 8 << 10;

  /** Writes nodes and words at random, some words again and again. */
  private static void write(Attempt attempt, SplittableRandom random, int rows) {
    attempt.begin(false);
    List<Long> nodes = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      nodes.add(attempt.words.heap.allocateNode(NodeLayout.bytesOf(i % 3)));
    }
    for (int i = 0; i < rows; i++) {
      long node = nodes.get(random.nextInt(nodes.size()));
      int first = random.nextInt(NodeLayout.words(node));
      int count = 1 + random.nextInt(Math.min(60, NodeLayout.words(node) - first));
      attempt.words.nodes.write(node, first, random.longs(count).toArray(), 0, count);
      if (i % 3 == 0) {
        attempt.words.put((1 << 19) + 64L * random.nextInt(1000), random.nextLong());
      }
    }
  }

  /** Applies the entries of a partition's records in order; returns the lengths of the records. */
  private static List<Integer> replay(LoggedEngine engine, Map<Long, Long> memory) {
    Ring ring = engine.ring(0);
    List<Integer> lengths = new ArrayList<>();
    for (long at = 0; at < ring.tail(); ) {
      long head = ring.word(at);
      assertThat(RedoRecordLayout.isSaneHead(head)).isTrue();
      long next = at + RedoRecordLayout.ENTRIES_OFFSET;
      if (RedoRecordLayout.kind(head) == RedoRecordLayout.KIND_MULTIPART_COMMIT) {
        next += RedoRecordLayout.MULTIPART_PREFIX_BYTES;
      }
      for (int i = 0; i < RedoRecordLayout.count(head); i++) {
        long entry = ring.word(next);
        next += Long.BYTES;
        for (int k = 0; k < RedoRecordLayout.entryRun(entry); k++, next += Long.BYTES) {
          memory.put(RedoRecordLayout.entryAddress(entry) + 8L * k, ring.word(next));
        }
      }
      assertThat(next)
          .isEqualTo(at + RedoRecordLayout.length(head) - RedoRecordLayout.CHECKSUM_BYTES);
      lengths.add(RedoRecordLayout.length(head));
      at += RedoRecordLayout.length(head);
    }
    return lengths;
  }

  private static void assertIsMemory(LoggedEngine engine, Map<Long, Long> memory) {
    memory.forEach(
        (address, value) ->
            assertThat(engine.region.getLong(address)).as("word at %d", address).isEqualTo(value));
    for (long page = 0; page < LoggedEngine.BYTES; page += 4096) {
      long first = page;
      boolean written = memory.keySet().stream().anyMatch(a -> a >= first && a < first + 4096);
      assertThat(engine.dirtyPages.next(page / 4096) == page / 4096)
          .as("page %d", page / 4096)
          .isEqualTo(written);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void replayInOrderGivesWhatTheCommitHasStored(int lanes) {
    for (int seed = 0; seed < 10; seed++) {
      try (LoggedEngine engine = new LoggedEngine(lanes)) {
        Attempt attempt = engine.attempt();
        write(attempt, new SplittableRandom(seed), 5 + 4 * seed);
        engine.commit(attempt);
        Map<Long, Long> memory = new TreeMap<>();
        assertThat(replay(engine, memory)).hasSize(1);
        assertIsMemory(engine, memory);
      }
    }
  }

  @Test
  void partsEndBetweenRowsAndAreReplayedInOrder() {
    for (int seed = 0; seed < 10; seed++) {
      try (LoggedEngine engine = new LoggedEngine(3, PARTS_OF)) {
        Attempt attempt = engine.attempt();
        write(attempt, new SplittableRandom(seed), 150);
        engine.commit(attempt);
        assertThat(LoggedEngine.count(attempt, Counters.MULTIPART_COMMITS)).isEqualTo(1);
        Map<Long, Long> memory = new TreeMap<>();
        List<Integer> lengths = replay(engine, memory);
        assertThat(lengths).hasSizeGreaterThan(3);
        assertThat(lengths).allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(PARTS_OF));
        assertIsMemory(engine, memory);
      }
    }
  }

  @Test
  void aTransactionOfNodesAloneGoesInPartsToo() {
    try (LoggedEngine engine = new LoggedEngine(3, PARTS_OF)) {
      Attempt attempt = engine.attempt();
      attempt.begin(false);
      long[] all = new SplittableRandom(1).longs(NodeLayout.MAX_WORDS).toArray();
      List<Long> nodes = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        long node = attempt.words.heap.allocateNode(4096);
        nodes.add(node);
        attempt.words.nodes.write(node, 0, all, 0, all.length);
      }
      engine.commit(attempt);
      Map<Long, Long> memory = new TreeMap<>();
      assertThat(replay(engine, memory)).hasSizeGreaterThan(4);
      assertIsMemory(engine, memory);
      assertThat(engine.region.getLong(NodeLayout.address(nodes.get(7)) + 4088))
          .isEqualTo(all[511]);
    }
  }

  /** Dependencies (R8) come from orecs of nodes as from those of stripes. */
  @Test
  void aCommitDependsOnTheCommitOfTheNodeThatItHasReadOrOverwritten() {
    try (LoggedEngine engine = new LoggedEngine(3)) {
      Attempt writer = engine.attempt(); // partition 0
      writer.begin(false);
      long node = writer.words.heap.allocateNode(1024);
      writer.words.nodes.write(node, 0, 1);
      long lsn = engine.commit(writer);
      Attempt reader = engine.attempt(); // partition 1
      reader.begin(false);
      long[] read = new long[1];
      while (!reader.words.nodes.read(node, 0, 1, read, 0)) {
        // the first snapshot is older than the node
      }
      reader.words.put(1 << 19, read[0]);
      engine.commit(reader);
      assertThat(engine.records(1).getLast().dep()).isEqualTo(Lsn.pack(lsn, 0));
      Attempt other = engine.attempt(); // partition 2, reads nothing of the node
      other.begin(false);
      other.words.nodes.write(node, 9, 2);
      engine.commit(other);
      assertThat(engine.records(2).getLast().dep()).isEqualTo(Lsn.pack(lsn, 0));
      other.begin(true);
      while (!other.words.nodes.read(node, 0, 1, read, 0)) {
        // as above
      }
      engine.commit(other);
      assertThat(other.lsn()).isEqualTo(3);
    }
  }
}
