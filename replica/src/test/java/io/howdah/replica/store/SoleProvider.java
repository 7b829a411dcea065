package io.howdah.replica.store;

import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.consensus.ConsensusProvider;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An engine for a group of one member, whose log is in the memory of the test. */
public final class SoleProvider implements ConsensusProvider {

  /** The logs, by their directories. */
  private static final Map<Path, List<byte[]>> LOGS = new ConcurrentHashMap<>();

  @Override
  public Supplier<Consensus> engines(Settings settings) {
    return () -> new Sole(LOGS.computeIfAbsent(settings.directory(), _ -> new ArrayList<>()));
  }

  private static final class Sole implements Consensus {

    private final List<byte[]> log; // of the thread below
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private @Nullable Member member;

    Sole(List<byte[]> log) {
      this.log = log;
    }

    private Member member() {
      Member member = this.member;
      if (member == null) {
        throw new IllegalStateException("not started");
      }
      return member;
    }

    private void handOver(int index) {
      member().committed(new Position(1, index + 1L), ByteBuffer.wrap(log.get(index)));
    }

    @Override
    public void start(Member member, Position behind) {
      this.member = member;
      thread.execute(
          () -> {
            for (int index = (int) behind.index(); index < log.size(); index++) {
              handOver(index);
            }
            member.leaderReady();
          });
    }

    @Override
    public void propose(ByteBuffer entry) {
      byte[] copy = new byte[entry.remaining()];
      entry.duplicate().get(copy);
      thread.execute(
          () -> {
            log.add(copy);
            handOver(log.size() - 1);
          });
    }

    @Override
    public void checkpointed(Position position) {}

    @Override
    public void transfer(String member) {} // there is no other one

    @Override
    public boolean replace(String former, String name, String address) {
      return false;
    }

    @Override
    public void close() {
      thread.shutdownNow();
      thread.close();
    }
  }
}
