package io.howdah.replica.command.lab;

import io.howdah.Store;
import io.howdah.replica.node.ReplicaNode;
import io.howdah.replica.store.ReadMode;
import io.howdah.replica.store.ReplicatedStore;
import io.howdah.txn.Tx;
import java.io.IOException;
import java.time.Duration;

/**
 * A service in three processes, as a program with a replicated store is written: counters, each
 * with the numbers of the operations that have counted last. What it is asked and answers, besides
 * the answers that {@link LineServer} tells:
 *
 * <pre>
 * add COUNTER OPERATION   VALUE
 * newest COUNTER          VALUE
 * local COUNTER           VALUE
 * last COUNTER            VALUE OPERATION ..., of the newest state; the operation of the value first
 * position                POSITION
 * digest                  POSITION HASH
 * leads                   true | false
 * transfer MEMBER         true | false
 * checkpoint
 * </pre>
 */
final class CounterMember {

  /** How many operations each counter knows. */
  static final int KNOWN = 2048;

  private static final Duration TRANSFER_TIME = Duration.ofSeconds(10);

  private final ReplicatedStore replica;

  private CounterMember(ReplicatedStore replica) {
    this.replica = replica;
  }

  /** Arguments: the member's name, its directory, and the group file. */
  public static void main(String[] args) throws IOException {
    LineServer.run(args, replica -> new CounterMember(replica)::result);
  }

  private String result(String[] words) {
    return switch (words[0]) {
      case "add" -> {
        Store store = replica.leader();
        long operation = Long.parseLong(words[2]);
        yield Long.toString(store.call(tx -> add(tx, counter(words), operation)));
      }
      case "newest" ->
          Long.toString(replica.read(ReadMode.NEWEST, tx -> value(tx, counter(words))));
      case "local" -> Long.toString(replica.read(ReadMode.LOCAL, tx -> value(tx, counter(words))));
      case "last" -> replica.read(ReadMode.NEWEST, tx -> last(tx, counter(words)));
      case "position" -> Long.toString(replica.position());
      case "digest" -> {
        ReplicaNode.Digest digest = replica.digest();
        yield digest.index() + " " + digest.hash();
      }
      case "leads" -> Boolean.toString(replica.isLeading());
      case "transfer" -> Boolean.toString(replica.transfer(words[1], TRANSFER_TIME));
      case "checkpoint" -> {
        replica.checkpoint();
        yield "";
      }
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private static int counter(String[] words) {
    return Integer.parseInt(words[1]);
  }

  private static long value(Tx tx, int counter) {
    long address = tx.root(counter);
    return address == 0 ? 0 : tx.getLong(address);
  }

  /** Returns the address of the operation that has made a value of the counter at an address. */
  private static long operation(long address, long value) {
    return address + Long.BYTES * (1 + value % KNOWN);
  }

  private static long add(Tx tx, int counter, long operation) {
    long address = tx.root(counter);
    if (address == 0) {
      address = tx.allocate(Long.BYTES * (1L + KNOWN));
      tx.root(counter, address);
    }
    long value = tx.getLong(address) + 1;
    tx.putLong(address, value);
    tx.putLong(operation(address, value), operation);
    return value;
  }

  private static String last(Tx tx, int counter) {
    long value = value(tx, counter);
    StringBuilder text = new StringBuilder(Long.toString(value));
    for (long v = value; v > Math.max(0, value - KNOWN); v--) {
      text.append(' ').append(tx.getLong(operation(tx.root(counter), v)));
    }
    return text.toString();
  }
}
