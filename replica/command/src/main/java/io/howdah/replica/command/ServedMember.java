package io.howdah.replica.command;

import io.howdah.Store;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreFailedException;
import io.howdah.replica.store.GroupClient;
import io.howdah.replica.store.ReadMode;
import io.howdah.replica.store.ReplicaGroup;
import io.howdah.replica.store.ReplicatedStore;
import io.howdah.server.net.GroupMember;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A member of a replica group, for a server. One thread looks at the role of the member and tells
 * the server; another one confirms reads, all that wait at a time by one entry of the group's log.
 */
final class ServedMember implements GroupMember {

  private static final System.Logger LOG = System.getLogger(ServedMember.class.getName());

  /** Of gRPC, which tells of every connection that breaks. A field, or its level would be lost. */
  private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** How long no leader is known before an operator is told, again and again. */
  private static final long NO_LEADER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ReplicaGroup group;
  private final String name;
  private final ReplicatedStore replica;
  private final Thread roles = new Thread(this::watchRole, "howdah-role");
  private final Thread confirmations = new Thread(this::confirmReads, "howdah-confirm");
  private final List<Waiting> waiting = new ArrayList<>(); // guarded by itself
  private volatile @Nullable Listener listener;
  private volatile boolean isClosing;

  /** A reply that waits until it is certain that the member led over a store. */
  private record Waiting(Store store, CompletableFuture<@Nullable Void> stage) {}

  ServedMember(Path directory, ReplicaGroup group, String name) {
    GRPC.setLevel(Level.OFF);
    this.group = group;
    this.name = name;
    this.replica = ReplicatedStore.open(directory, group, name);
    roles.setDaemon(true);
    confirmations.setDaemon(true);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public @Nullable String leaderName() {
    return replica.knownLeader();
  }

  @Override
  public long position() {
    return replica.position();
  }

  @Override
  public long maxSizeBytes() {
    return group.maxSize();
  }

  @Override
  public InetSocketAddress relayAddress() {
    return Objects.requireNonNull(address(name), "a member of the group");
  }

  private @Nullable InetSocketAddress address(String member) {
    String address = group.relay().get(member);
    if (address == null) {
      return null; // of a newer group file
    }
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  @Override
  public void start(Listener listener) {
    this.listener = listener;
    roles.start();
    confirmations.start();
  }

  // ---- The role.

  private void watchRole() {
    Listener listener = Objects.requireNonNull(this.listener, "set before this thread starts");
    try {
      watchRole(listener);
    } catch (RuntimeException e) {
      // Without this thread the server would stay in its last role for ever.
      listener.failed(new HowdahException("member " + name + " cannot tell its role: " + e, e));
    }
  }

  private void watchRole(Listener listener) {
    Store led = null;
    String told = "";
    long withLeaderNanos = System.nanoTime();
    while (!isClosing) {
      Throwable failure = replica.failure();
      if (failure != null) {
        listener.failed(
            new HowdahException("member " + name + " has stopped: " + failure, failure));
        return;
      }
      Store store = leaderStore();
      if (store != null) {
        withLeaderNanos = System.nanoTime();
        if (!store.equals(led)) {
          led = store;
          listener.leads(store);
        }
      } else {
        String leader = leaderOf(replica.knownLeader());
        if (led != null || !leader.equals(told)) {
          led = null;
          told = leader;
          listener.follows(address(leader));
        }
        if (!leader.isEmpty()) {
          withLeaderNanos = System.nanoTime();
        } else if (System.nanoTime() - withLeaderNanos >= NO_LEADER_NANOS) {
          withLeaderNanos = System.nanoTime();
          // Members that do not answer take their time; the role must not wait for them.
          Thread.ofPlatform().daemon().start(this::warnOfNoLeader);
        }
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Returns the name of another member that leads; empty if none is known. */
  private String leaderOf(@Nullable String known) {
    return known == null || known.equals(name) ? "" : known;
  }

  private @Nullable Store leaderStore() {
    try {
      return replica.isLeading() ? replica.leader() : null;
    } catch (HowdahException e) {
      return null; // it has ceased to lead meanwhile
    }
  }

  private void warnOfNoLeader() {
    StringJoiner answers = new StringJoiner("; ");
    if (!group.http().isEmpty()) {
      for (Map.Entry<String, Optional<String>> member :
          new GroupClient(group).status().entrySet()) {
        answers.add(
            member.getKey()
                + " "
                + member
                    .getValue()
                    .map(state -> "answers: " + String.join(", ", state.lines().toList()))
                    .orElse("does not answer"));
      }
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "member "
            + name
            + " knows no leader, so no client is served"
            + (answers.length() == 0 ? "" : ": " + answers));
  }

  // ---- Confirmed reads.

  @Override
  public CompletionStage<@Nullable Void> confirm(Store store) {
    CompletableFuture<@Nullable Void> stage = new CompletableFuture<>();
    synchronized (waiting) {
      if (!isClosing) {
        waiting.add(new Waiting(store, stage));
        waiting.notifyAll();
        return stage;
      }
    }
    stage.completeExceptionally(new StoreFailedException("member " + name + " is being closed"));
    return stage;
  }

  private void confirmReads() {
    while (!isClosing) {
      List<Waiting> all;
      synchronized (waiting) {
        if (waiting.isEmpty()) {
          try {
            waiting.wait();
          } catch (InterruptedException _) {
            // close looks again
          }
          continue;
        }
        all = List.copyOf(waiting);
        waiting.clear();
      }
      confirm(all);
    }
    synchronized (waiting) {
      waiting.forEach(
          each ->
              each.stage()
                  .completeExceptionally(
                      new StoreFailedException("member " + name + " is being closed")));
      waiting.clear();
    }
  }

  /**
   * Confirms reads by an entry that is proposed after them. The entry counts only in the epoch of
   * the store that leads before and after it, so reads of a former store are not confirmed.
   */
  private void confirm(List<Waiting> all) {
    @Nullable RuntimeException problem = null;
    Store before = null;
    Store after = null;
    try {
      before = leaderStore();
      replica.read(ReadMode.NEWEST, _ -> 0);
      after = leaderStore();
    } catch (RuntimeException e) { // also of the engine: without this thread replies would wait
      problem = e;
    }
    for (Waiting each : all) {
      if (problem == null && each.store().equals(before) && each.store().equals(after)) {
        each.stage().complete(null);
      } else {
        each.stage()
            .completeExceptionally(
                new StoreFailedException(
                    "it is not certain that member " + name + " led when items were read",
                    problem == null ? new HowdahException("it leads in another epoch") : problem));
      }
    }
  }

  @Override
  public void close() {
    isClosing = true;
    synchronized (waiting) {
      waiting.notifyAll();
    }
    // First: the other threads may wait for the group.
    replica.close();
    try {
      roles.join();
      confirmations.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
