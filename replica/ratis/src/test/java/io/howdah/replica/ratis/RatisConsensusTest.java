package io.howdah.replica.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.consensus.Consensus.Position;
import io.howdah.replica.consensus.ConsensusProvider.Settings;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What this adapter relies on in Ratis, with a group of one member. */
@Timeout(120)
class RatisConsensusTest {

  private static final UUID GROUP = new UUID(3, 4);
  private static final int ENTRIES = 20;

  @TempDir private Path directory;

  /** An entry that was handed over. */
  private record Told(Position at, long number, int length) {}

  private static final class Notes implements Consensus.Member {

    final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
    final CountDownLatch ready = new CountDownLatch(1);

    @Override
    public void committed(Position at, ByteBuffer entry) {
      told.add(new Told(at, entry.getLong(entry.position()), entry.remaining()));
    }

    @Override
    public void leaderReady() {
      ready.countDown();
    }

    @Override
    public void notLeader(@Nullable String leader) {}

    @Override
    public void behind(long firstIndex) {}

    @Override
    public void stopped(Throwable cause) {}

    Told next() throws InterruptedException {
      Told next = told.poll(60, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("nothing was handed over");
      }
      return next;
    }
  }

  private RatisConsensus member(int segmentBytes) throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new RatisConsensus(
          new Settings(
              GROUP,
              Map.of("a", "127.0.0.1:" + free.getLocalPort()),
              "a",
              directory.resolve("raft")),
          segmentBytes);
    }
  }

  /** Runs a member that proposes entries from a number on, and returns what it is told of. */
  private List<Told> run(Position behind, long first, long count, int length) throws Exception {
    Notes notes = new Notes();
    try (RatisConsensus member = member(64 << 20)) {
      member.start(notes, behind);
      assertThat(notes.ready.await(60, TimeUnit.SECONDS)).isTrue();
      for (long number = first; number < first + count; number++) {
        member.propose(ByteBuffer.allocate(length).putLong(0, number));
      }
      List<Told> told = new java.util.ArrayList<>();
      do {
        told.add(notes.next());
      } while (told.getLast().number() < first + count - 1);
      return told;
    }
  }

  private static long[] numbers(List<Told> told) {
    return told.stream().mapToLong(Told::number).toArray();
  }

  private Path segment() throws IOException {
    try (Stream<Path> files =
        Files.list(directory.resolve("raft").resolve(GROUP.toString()).resolve("current"))) {
      return files
          .filter(path -> path.getFileName().toString().startsWith("log_"))
          .max(Path::compareTo)
          .orElseThrow();
    }
  }

  @Test
  void aTornEntryAtTheEndIsRemovedAndNothingElse() throws Exception {
    run(Position.START, 1, ENTRIES, 2000);
    Path segment = segment();
    int end = endOfEntries(segment);
    byte[] whole = Files.readAllBytes(segment);
    // An entry of 1000 bytes, of which a sector came to the disk.
    byte[] torn = Arrays.copyOf(whole, end + 4096);
    torn[end] = (byte) ((1000 & 0x7F) | 0x80);
    torn[end + 1] = (byte) (1000 >> 7);
    Arrays.fill(torn, end + 2, end + 500, (byte) 7);
    Files.write(segment, torn);

    List<Told> again = run(Position.START, 100, 1, 100);

    assertThat(numbers(again))
        .containsExactly(
            LongStream.concat(LongStream.rangeClosed(1, ENTRIES), LongStream.of(100)).toArray());
  }

  @Test
  void aTornEntryThatHasLostItsFirstSectorIsRemoved() throws Exception {
    run(Position.START, 1, ENTRIES, 2000);
    Path segment = segment();
    int end = endOfEntries(segment);
    byte[] torn = Arrays.copyOf(Files.readAllBytes(segment), end + 4096);
    Arrays.fill(torn, end + 600, end + 1000, (byte) 7);
    Files.write(segment, torn);

    assertThat(run(Position.START, 100, 1, 100)).hasSize(ENTRIES + 1);
  }

  @Test
  void damageBeforeAnotherEntryIsRefused() throws Exception {
    run(Position.START, 1, ENTRIES, 2000);
    Path segment = segment();
    for (int at : new int[] {endOfEntries(segment) / 2, endOfEntries(segment) - 3000, 60}) {
      flip(segment, at);
      try (RatisConsensus member = member(64 << 20)) {
        assertThatThrownBy(() -> member.start(new Notes(), Position.START))
            .isInstanceOf(CorruptStoreException.class)
            .hasMessageContaining(segment.getFileName().toString())
            .hasMessageContaining("replace it");
      }
      flip(segment, at);
    }
    assertThat(run(Position.START, 100, 1, 100)).hasSize(ENTRIES + 1);
  }

  @Test
  void aStartBehindAPositionHandsOverWhatFollows() throws Exception {
    List<Told> told = run(Position.START, 1, ENTRIES, 100);

    List<Told> again = run(told.get(9).at(), 100, 1, 100);

    assertThat(numbers(again)).startsWith(11, 12).endsWith(ENTRIES, 100);
  }

  @Test
  void aPositionBeyondTheOwnLogIsNotNeeded() throws Exception {
    List<Told> told = run(Position.START, 1, ENTRIES, 100);
    Position last = told.getLast().at();

    List<Told> again = run(new Position(last.term(), last.index() + 1000), 100, 1, 100);

    assertThat(numbers(again)).contains(100);
  }

  @Test
  void aLostLogIsRefused() throws Exception {
    List<Told> told = run(Position.START, 1, ENTRIES, 100);
    Files.move(directory.resolve("raft"), directory.resolve("lost"));
    try (RatisConsensus member = member(64 << 20)) {
      assertThatThrownBy(() -> member.start(new Notes(), told.getLast().at()))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("the log of Ratis is gone")
          .hasMessageContaining("replace it");
    }
  }

  @Test
  void segmentsUpToACheckpointAreRemoved() throws Exception {
    Notes notes = new Notes();
    Position checkpoint = Position.START;
    try (RatisConsensus member = member(64 << 10)) {
      member.start(notes, Position.START);
      assertThat(notes.ready.await(60, TimeUnit.SECONDS)).isTrue();
      for (long number = 1; number <= 30; number++) {
        member.propose(ByteBuffer.allocate(20_000).putLong(0, number));
        checkpoint = notes.next().at();
      }
      Path first = firstSegment();
      long asked = System.nanoTime();
      while (Files.exists(first)) {
        member.checkpointed(checkpoint);
        assertThat(System.nanoTime() - asked).isLessThan(60_000_000_000L);
        Thread.onSpinWait();
      }
    }
    assertThat(numbers(run(checkpoint, 100, 1, 100))).containsExactly(100);
  }

  @Test
  void theLastEntryOfACheckpointStaysForMembersThatGoOnBehindIt() throws Exception {
    Notes notes = new Notes();
    try (RatisConsensus member = member(64 << 10)) {
      member.start(notes, Position.START);
      assertThat(notes.ready.await(60, TimeUnit.SECONDS)).isTrue();
      Position last = Position.START;
      for (long number = 1; number <= 12; number++) {
        member.propose(ByteBuffer.allocate(20_000).putLong(0, number));
        last = notes.next().at();
      }
      Path first = firstSegment();
      Path second = segmentAfter(first);
      Position checkpoint = new Position(last.term(), lastIndex(second));
      long asked = System.nanoTime();
      while (Files.exists(first)) {
        member.checkpointed(checkpoint);
        assertThat(System.nanoTime() - asked).isLessThan(60_000_000_000L);
        Thread.onSpinWait();
      }
      // Whatever Ratis does after that purge comes behind another entry.
      member.propose(ByteBuffer.allocate(20_000).putLong(0, 13));
      assertThat(notes.next().number()).isEqualTo(13);
      assertThat(second).exists();
    }
  }

  private static long lastIndex(Path segment) {
    String name = segment.getFileName().toString();
    return Long.parseLong(name.substring(name.indexOf('-') + 1));
  }

  private static Path segmentAfter(Path segment) throws IOException {
    String start = "log_" + (lastIndex(segment) + 1) + "-";
    try (Stream<Path> files = Files.list(segment.getParent())) {
      return files
          .filter(path -> path.getFileName().toString().startsWith(start))
          .findFirst()
          .orElseThrow();
    }
  }

  private Path firstSegment() throws IOException {
    try (Stream<Path> files =
        Files.list(directory.resolve("raft").resolve(GROUP.toString()).resolve("current"))) {
      return files
          .filter(path -> path.getFileName().toString().startsWith("log_0-"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static int endOfEntries(Path segment) throws IOException {
    byte[] bytes = Files.readAllBytes(segment);
    int at = 8;
    while (at < bytes.length && bytes[at] != 0) {
      int length = 0;
      int shift = 0;
      byte next;
      do {
        next = bytes[at++];
        length |= (next & 0x7F) << shift;
        shift += 7;
      } while (next < 0);
      at += length + Integer.BYTES;
    }
    return at;
  }

  private static void flip(Path file, int at) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int old = bytes.read();
      bytes.seek(at);
      bytes.write(old ^ 0x10);
    }
  }
}
