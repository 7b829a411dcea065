package io.howdah.replica.command;

import io.howdah.Store;
import io.howdah.core.HowdahException;
import io.howdah.replica.ReplicaBehindException;
import io.howdah.replica.store.ReadMode;
import io.howdah.replica.store.ReplicaGroup;
import io.howdah.replica.store.ReplicatedStore;
import io.howdah.txn.Tx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A service in three processes, as a program with a replicated store is written. While it leads, it
 * adds to a counter, and says each value that is acknowledged: {@code ack VALUE}. While it follows,
 * it reads the counter, and says it when it has changed: {@code read VALUE}.
 */
final class CounterMember {

  private static final int COUNTER = 1;
  private static final int CHECKPOINT_EVERY = 20;
  private static final Duration POLL = Duration.ofMillis(50);

  /** Of gRPC, which tells of every connection that breaks. A field, or its level would be lost. */
  private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

  private CounterMember() {}

  /** Arguments: the member's name, its directory, and the group file. */
  public static void main(String[] args) {
    GRPC.setLevel(Level.OFF);
    Path directory = Path.of(args[1]);
    ReplicaGroup group = ReplicaGroup.read(Path.of(args[2]));
    if (!Files.exists(directory)) {
      ReplicatedStore.create(directory, group, args[0]);
    }
    try (ReplicatedStore replica = ReplicatedStore.open(directory, group, args[0])) {
      long read = 0;
      while (replica.failure() == null) {
        if (replica.awaitLeader(POLL)) {
          lead(replica);
        } else {
          read = follow(replica, read);
        }
      }
      throw new IllegalStateException(replica.failure());
    }
  }

  private static void lead(ReplicatedStore replica) {
    try {
      Store store = replica.leader();
      while (true) {
        long value = store.call(CounterMember::add);
        System.out.println("ack " + value);
        if (value % CHECKPOINT_EVERY == 0) {
          replica.checkpoint();
        }
      }
    } catch (HowdahException e) {
      System.out.println("lost " + e.getMessage());
    }
  }

  private static long follow(ReplicatedStore replica, long before) {
    try {
      long value = replica.read(ReadMode.LOCAL, CounterMember::get);
      if (value != before) {
        System.out.println("read " + value);
      }
      return value;
    } catch (ReplicaBehindException e) {
      return before; // it replays the log
    }
  }

  private static long get(Tx tx) {
    long address = tx.root(COUNTER);
    return address == 0 ? 0 : tx.getLong(address);
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
