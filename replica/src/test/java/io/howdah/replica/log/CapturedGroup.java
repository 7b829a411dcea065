package io.howdah.replica.log;

import io.howdah.StoreOptions;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.node.ReplicaNode;
import io.howdah.replica.node.SnapshotSource;
import io.howdah.testkit.disk.SimulatedDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * What a group of one member has written: the entries of its log and a snapshot, as they are before
 * a test damages them.
 *
 * @param entries of the log, the first one at index 1
 * @param snapshot of the member at the end
 */
public record CapturedGroup(List<byte[]> entries, ByteBuffer snapshot) {

  /** The id of the store. */
  public static final StoreId ID = new StoreId(1, 2);

  /** Dimensions of the store. */
  public static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(2)
          .withRingBytes(RingLayout.MIN_CAPACITY)
          .withOrecs(1 << 10);

  private static final long NANOS = 30_000_000_000L;
  private static final int WORDS = 64;

  /** Commits what is proposed, in the order of the proposals. */
  private static final class Engine implements Consensus {

    private final List<byte[]> log = new ArrayList<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private @Nullable Member member;

    @Override
    public void start(Member member, Position behind) {
      this.member = member;
      thread.execute(member::leaderReady);
    }

    @Override
    public void propose(ByteBuffer entry) {
      byte[] copy = new byte[entry.remaining()];
      entry.duplicate().get(copy);
      Member member = this.member;
      thread.execute(
          () -> {
            log.add(copy);
            if (member != null) {
              member.committed(new Position(1, log.size()), ByteBuffer.wrap(copy));
            }
          });
    }

    @Override
    public void checkpointed(Position position) {}

    @Override
    public void transfer(String member) {}

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

  /** Where there is nothing to install. */
  private static final SnapshotSource NO_SNAPSHOTS =
      new SnapshotSource() {
        @Override
        public List<String> members(@Nullable String leader) {
          return List.of();
        }

        @Override
        public InputStream open(String member) throws IOException {
          throw new IOException("there are no other members");
        }
      };

  /** Runs a member, and returns what it has written. */
  public static CapturedGroup run() throws IOException {
    Storage storage = SimulatedDisk.seeded(1).storage();
    ReplicaNode.create(storage, ID, OPTIONS);
    Engine engine = new Engine();
    ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
    try (ReplicaNode node =
        new ReplicaNode("a", ID, OPTIONS, storage, () -> engine, NO_SNAPSHOTS, false)) {
      node.start();
      if (!node.awaitLeader(NANOS)) {
        throw new IllegalStateException("no leader");
      }
      for (int i = 0; i < 8; i++) {
        long value = i;
        node.leader()
            .run(
                tx -> {
                  long block = tx.allocate(WORDS * Long.BYTES);
                  tx.root(1, block);
                  for (int word = 0; word < WORDS; word++) {
                    tx.putLong(block + word * (long) Long.BYTES, value);
                  }
                });
      }
      node.checkpoint();
      node.writeSnapshot(snapshot);
    }
    return new CapturedGroup(List.copyOf(engine.log), ByteBuffer.wrap(snapshot.toByteArray()));
  }
}
