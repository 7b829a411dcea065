package io.howdah.replica.command.lab;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.StoreId;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.node.ReplicaNode;
import io.howdah.replica.node.SnapshotSource;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How fast a member applies what another one has committed, without an engine, a network or a
 * force: entries of a leader are kept in memory, and handed to a member that has nothing.
 */
final class AppliedLog {

  private static final StoreId ID = new StoreId(7, 11);
  private static final long SIZE = 64 << 20;
  private static final int PARTITIONS = 4;
  private static final int WORDS = 6;
  private static final long POLL_NANOS = 200_000;
  private static final long PATIENCE_NANOS = 600_000_000_000L;

  private final StoreOptions options =
      StoreOptions.defaults().withMaxSize(SIZE).withPartitions(PARTITIONS);

  /** The committed entries. */
  private final List<ByteBuffer> entries = new ArrayList<>(); // guarded by itself

  /**
   * Commits a second.
   *
   * @param committed by one thread with {@code ASYNC} in a plain store
   * @param applied by a member
   */
  record Rates(double committed, double applied) {}

  /**
   * Measures once.
   *
   * @param directory absent
   * @param nanos how long commits are made
   */
  Rates measure(Path directory, long nanos) throws IOException {
    Files.createDirectories(directory);
    double committed;
    try (Store plain = Store.open(directory.resolve("plain"), options)) {
      Load.run(plain, TxOptions.async(), 1, nanos / 2, WORDS, false);
      committed = Load.run(plain, TxOptions.async(), 1, nanos, WORDS, false).perSecond();
    }
    long commits = lead(directory.resolve("leader"), nanos);
    return new Rates(committed, commits / (follow(directory.resolve("follower")) / 1e9));
  }

  private long lead(Path directory, long nanos) throws IOException {
    Files.createDirectory(directory);
    try (Storage storage = FileStorage.open(directory, FileStorageOptions.DEFAULT)) {
      ReplicaNode.create(storage, ID, options);
      try (ReplicaNode node = node("a", storage, new Alone())) {
        node.start();
        if (!node.awaitLeader(PATIENCE_NANOS)) {
          throw new IOException("the member does not lead: " + node.failure());
        }
        return Load.run(node.leader(), TxOptions.async(), 1, nanos, WORDS, false).commits();
      }
    }
  }

  /** Returns how many nanoseconds a member takes for all entries. */
  private long follow(Path directory) throws IOException {
    Files.createDirectory(directory);
    try (Storage storage = FileStorage.open(directory, FileStorageOptions.DEFAULT)) {
      ReplicaNode.create(storage, ID, options);
      int count;
      synchronized (entries) {
        count = entries.size();
      }
      try (ReplicaNode node = node("b", storage, new Replay())) {
        long began = System.nanoTime();
        node.start();
        while (node.position() < count) {
          if (node.failure() != null || System.nanoTime() - began > PATIENCE_NANOS) {
            throw new IOException("the member does not apply the log: " + node.failure());
          }
          LockSupport.parkNanos(POLL_NANOS);
        }
        return System.nanoTime() - began;
      }
    }
  }

  private ReplicaNode node(String name, Storage storage, Consensus engine) {
    return new ReplicaNode(
        name,
        ID,
        options,
        storage,
        () -> engine,
        new SnapshotSource() {
          @Override
          public List<String> members(@Nullable String leader) {
            return List.of();
          }

          @Override
          public InputStream open(String member) throws IOException {
            throw new IOException("there is no other member");
          }
        },
        false);
  }

  private abstract static class Engine implements Consensus {

    @Override
    public void propose(ByteBuffer entry) {}

    @Override
    public void checkpointed(Position position) {}

    @Override
    public void transfer(String member) {}

    @Override
    public boolean replace(String former, String member, String address) {
      return false;
    }

    @Override
    public void close() {}
  }

  /** Commits what the only member proposes, at once. */
  private final class Alone extends Engine {

    private @Nullable Member member;

    @Override
    public void start(Member member, Position behind) {
      this.member = member;
      member.leaderReady();
    }

    @Override
    public void propose(ByteBuffer entry) {
      ByteBuffer copy = ByteBuffer.allocate(entry.remaining()).put(entry.duplicate()).flip();
      synchronized (entries) {
        entries.add(copy);
        Member member = this.member;
        if (member != null) {
          member.committed(new Position(1, entries.size()), copy.duplicate());
        }
      }
    }
  }

  /** Hands over all entries, as fast as the member takes them. */
  private final class Replay extends Engine {

    @Override
    public void start(Member member, Position behind) {
      Thread _ =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    List<ByteBuffer> all;
                    synchronized (entries) {
                      all = List.copyOf(entries);
                    }
                    for (int i = 0; i < all.size(); i++) {
                      member.committed(new Position(1, i + 1L), all.get(i).duplicate());
                    }
                  });
    }
  }
}
