package io.howdah.replica.ratis;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreId;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.replica.node.ReplicaNode;
import io.howdah.txn.Tx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A process with one node. While it leads, it adds to a counter, and says each value that is
 * acknowledged: {@code ack VALUE}.
 */
final class RatisNodeMain {

  private static final int COUNTER = 1;
  private static final int CHECKPOINT_EVERY = 20;
  private static final long SECOND = 1_000_000_000;

  /** Of gRPC, which tells of every connection that breaks. A field, or its level would be lost. */
  private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

  private RatisNodeMain() {}

  /** Arguments: the node's name, its directory, and name=address of each member. */
  public static void main(String[] args) {
    GRPC.setLevel(Level.OFF);
    Map<String, String> peers = new TreeMap<>();
    for (int i = 2; i < args.length; i++) {
      String[] peer = args[i].split("=", -1);
      peers.put(peer[0], peer[1]);
    }
    Path directory = Path.of(args[1]);
    Storage storage = FileStorage.open(directory.resolve("node"));
    StoreOptions options = StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(2);
    StoreId id = new StoreId(1, 2);
    if (!Files.exists(directory.resolve("raft"))) {
      ReplicaNode.create(storage, id, options);
    }
    ReplicaNode node =
        new ReplicaNode(
            args[0],
            id,
            options,
            storage,
            () -> new RatisConsensus(new UUID(3, 4), peers, args[0], directory.resolve("raft")));
    node.start();
    while (node.failure() == null) {
      if (node.awaitLeader(SECOND)) {
        lead(node);
      }
    }
    throw new IllegalStateException(node.failure());
  }

  private static void lead(ReplicaNode node) {
    try {
      Store store = node.leader();
      while (true) {
        long value = store.call(RatisNodeMain::add);
        System.out.println("ack " + value);
        if (value % CHECKPOINT_EVERY == 0) {
          node.checkpoint();
        }
      }
    } catch (HowdahException e) {
      System.out.println("lost " + e.getMessage());
    }
  }

  private static long add(Tx tx) {
    long address = tx.root(COUNTER);
    if (address == 0) {
      address = tx.allocate(Long.BYTES);
      tx.root(COUNTER, address);
    }
    long value = tx.getLong(address) + 1;
    tx.putLong(address, value);
    return value;
  }
}
