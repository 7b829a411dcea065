package io.howdah.replica.store;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.replica.LeadershipLostException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.ReplicaBehindException;
import io.howdah.replica.consensus.ConsensusProvider;
import io.howdah.replica.node.ReplicaNode;
import io.howdah.txn.TxFunction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A member of a replica group, in the program that uses the store.
 *
 * <pre>{@code
 * ReplicaGroup group = ReplicaGroup.read(Path.of("group.properties"));
 * try (ReplicatedStore replica = ReplicatedStore.open(Path.of("shop"), group, "a")) {
 *   if (replica.awaitLeader(Duration.ofSeconds(30))) {
 *     replica.leader().run(tx -> ...);
 *   }
 *   replica.read(ReadMode.LOCAL, tx -> ...);
 * }
 * }</pre>
 *
 * <p>The program runs on each machine of the group, each time with the name of another member.
 * {@link #create} makes the directory, once for each name.
 *
 * <p>Thread-safe.
 */
public final class ReplicatedStore implements AutoCloseable {

  private static final String LOG_DIRECTORY = "raft";
  private static final String MEMBER_FILE = "replica.member";

  /** Before the identity of a member whose engine was never started. */
  private static final String JOINING = "joining ";

  private final ReplicaGroup group;
  private final String name;
  private final Storage storage;
  private final ReplicaNode node;
  private @Nullable PeerEndpoint endpoint;

  private ReplicatedStore(ReplicaGroup group, String name, Storage storage, ReplicaNode node) {
    this.group = group;
    this.name = name;
    this.storage = storage;
    this.node = node;
  }

  /**
   * Creates the directory of a member that has never been started. A name whose directory was lost,
   * or is older than it was, must not be used again: the group would believe that the member still
   * has what it has said to have.
   *
   * @param directory absent or empty
   * @throws UnsupportedStoreException if it holds something
   */
  public static void create(Path directory, ReplicaGroup group, String name) {
    create(directory, group, name, identity(group, name));
  }

  /**
   * Creates the directory of a member that takes the place of a lost one. It begins with a snapshot
   * of another member, and waits until {@link #replace} has made it a member.
   *
   * @param group with the new member in the place of the lost one
   * @param name that no member of the group ever had
   * @param directory absent or empty
   * @throws IllegalArgumentException if members have no addresses for snapshots
   * @throws UnsupportedStoreException if the directory holds something
   */
  public static void createJoining(Path directory, ReplicaGroup group, String name) {
    if (group.http().isEmpty()) {
      throw new IllegalArgumentException(
          "a member that joins begins with a snapshot: the group file needs http.NAME of all"
              + " members");
    }
    create(directory, group, name, JOINING + identity(group, name));
  }

  private static void create(Path directory, ReplicaGroup group, String name, String identity) {
    group.requireMember(name);
    try (Storage storage = FileStorage.open(directory)) {
      if (SuperblockFile.exists(storage) || Files.exists(directory.resolve(MEMBER_FILE))) {
        throw new UnsupportedStoreException(
            directory + " holds a store or a member of a group; name an empty or a new directory");
      }
      Files.writeString(directory.resolve(MEMBER_FILE), identity, StandardCharsets.UTF_8);
      ReplicaNode.create(storage, group.storeId(), group.dimensioned(StoreOptions.defaults()));
    } catch (IOException e) {
      throw new UncheckedIOException("create member " + name + " in " + directory, e);
    }
  }

  private static String identity(ReplicaGroup group, String name) {
    return "member " + name + " of group " + group.cluster() + "\n";
  }

  /** Opens a member with default options; see the other method. */
  public static ReplicatedStore open(Path directory, ReplicaGroup group, String name) {
    return open(directory, group, name, StoreOptions.defaults());
  }

  /**
   * Opens a member and starts it. It follows the group until it is elected, or closed.
   *
   * @param directory that {@link #create} has made, or that the member has used
   * @param options the group's dimensions take the place of theirs
   * @throws IllegalArgumentException if the name is not one of the group, or the options ask for
   *     what a replica does not have
   * @throws UnsupportedStoreException if the directory is none of this member
   */
  public static ReplicatedStore open(
      Path directory, ReplicaGroup group, String name, StoreOptions options) {
    group.requireMember(name);
    requireUsable(options);
    ConsensusProvider provider =
        ServiceLoader.load(ConsensusProvider.class)
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "no consensus engine is on the class path; add howdah-replica-ratis"));
    AtomicBoolean joins = new AtomicBoolean(requireIdentity(directory, group, name));
    Optional<String> secret = group.secret();
    Storage storage = FileStorage.open(directory, FileStorageOptions.DEFAULT.withCreate(false));
    boolean isOpen = false;
    ReplicatedStore replica = null;
    try {
      ReplicaNode node =
          new ReplicaNode(
              name,
              group.storeId(),
              group.dimensioned(options),
              storage,
              provider.engines(
                  new ConsensusProvider.Settings(
                      group.cluster(),
                      group.peers(),
                      name,
                      directory.resolve(LOG_DIRECTORY),
                      secret.isPresent() ? group.maxLogBytes() : Long.MAX_VALUE,
                      joins::get,
                      () -> joined(directory, group, name, joins))),
              secret.isPresent()
                  ? PeerEndpoint.source(name, group.http(), secret.get())
                  : PeerEndpoint.none(),
              joins.get());
      replica = new ReplicatedStore(group, name, storage, node);
      if (secret.isPresent()) {
        replica.endpoint =
            new PeerEndpoint(
                Objects.requireNonNull(group.http().get(name)), secret.get(), replica, node);
      }
      node.start();
      isOpen = true;
      return replica;
    } finally {
      if (!isOpen && replica != null) {
        replica.close();
      } else if (!isOpen) {
        storage.close();
      }
    }
  }

  /**
   * Notes that the engine of a member that joins has begun: from now on it makes promises to the
   * group, and must not begin again.
   */
  private static void joined(Path directory, ReplicaGroup group, String name, AtomicBoolean joins) {
    if (!joins.get()) {
      return;
    }
    Path next = directory.resolve(MEMBER_FILE + ".new");
    try {
      try (FileChannel channel =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(identity(group, name));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, directory.resolve(MEMBER_FILE), StandardCopyOption.ATOMIC_MOVE);
      joins.set(false);
    } catch (IOException e) {
      throw new UncheckedIOException("note that member " + name + " has begun", e);
    }
  }

  private static void requireUsable(StoreOptions options) {
    String problem =
        options.readOnly()
            ? "readOnly: a node that follows is read by read or reader"
            : options.storage().isPresent()
                ? "storage: a replica lies in a directory"
                : options.archive().isPresent()
                    ? "archive: the log is the group's, and has no archive yet"
                    : "";
    if (!problem.isEmpty()) {
      throw new IllegalArgumentException("a replica does not have the option " + problem);
    }
  }

  /** Returns whether the member joins, and its engine was never started. */
  private static boolean requireIdentity(Path directory, ReplicaGroup group, String name) {
    Path file = directory.resolve(MEMBER_FILE);
    String expected = identity(group, name);
    try {
      if (!Files.exists(file)) {
        throw new UnsupportedStoreException(
            directory
                + " is not the directory of a member of a group. If "
                + name
                + " was never started, create its directory; if its directory was lost, "
                + name
                + " must not come back: add a member with a new name in its place");
      }
      String found = Files.readString(file, StandardCharsets.UTF_8);
      if (!found.equals(expected) && !found.equals(JOINING + expected)) {
        throw new UnsupportedStoreException(
            directory + " is of " + found.strip() + ", not of " + expected.strip());
      }
      return found.startsWith(JOINING);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }

  /** Returns whether this member leads. */
  public boolean isLeading() {
    return node.isLeading();
  }

  /**
   * Waits until this member leads.
   *
   * @return whether it does; false after the time
   */
  public boolean awaitLeader(Duration time) {
    return node.awaitLeader(time.toNanos());
  }

  /**
   * Returns the store of this member, which leads. It fails with {@link LeadershipLostException} as
   * the cause when the member ceases to lead; it is not closed by the program.
   *
   * @throws NotLeaderException if the member does not lead
   */
  public Store leader() {
    return node.leader();
  }

  /**
   * Returns the store that local reads see, for handles of collections. It is open for reading only
   * unless the member leads, and is closed when the member changes its role.
   *
   * @throws ReplicaBehindException if there is no state yet
   */
  public Store reader() {
    return node.reader();
  }

  /**
   * Runs a transaction that does not write. If the member changes its role meanwhile, the body may
   * run again.
   *
   * @throws ReplicaBehindException in the mode {@code LOCAL}, if there is no state yet
   * @throws NotLeaderException in the mode {@code NEWEST}, if the member does not lead
   * @throws LeadershipLostException in the mode {@code NEWEST}, if it is not certain that it led
   */
  public <T extends @Nullable Object, E extends Exception> T read(
      ReadMode mode, TxFunction<T, E> body) throws E {
    return switch (mode) {
      case LOCAL -> node.read(body);
      case NEWEST -> node.readNewest(body);
    };
  }

  /**
   * Returns how far this member is in the group's log. A member that is as far has every commit
   * that was acknowledged by this member before the call.
   */
  public long position() {
    return node.position();
  }

  /**
   * Waits until this member is as far as a position of any member, and can be read.
   *
   * @return whether it is; false after the time
   */
  public boolean awaitPosition(long position, Duration time) {
    return node.awaitPosition(position, time.toNanos());
  }

  /** Hashes the whole region, to compare members; see {@link ReplicaNode#digest}. */
  public ReplicaNode.Digest digest() {
    return node.digest();
  }

  /**
   * Makes a checkpoint, so that the next start replays less; see {@link ReplicaNode#checkpoint}.
   */
  public void checkpoint() {
    node.checkpoint();
  }

  /**
   * Makes another member the leader. New transactions of this member are refused at once, and what
   * was committed is acknowledged before.
   *
   * @return whether the other member leads, as far as is known within the time; otherwise the group
   *     elects one
   * @throws IllegalArgumentException if it is this member, or not one of the group file
   * @throws NotLeaderException if this member does not lead
   */
  public boolean transfer(String member, Duration time) {
    group.requireMember(member);
    if (member.equals(name)) {
      throw new IllegalArgumentException("member " + name + " leads; name another one");
    }
    return node.transfer(member, time.toNanos());
  }

  /**
   * Puts a new member in the place of a lost one. The new one runs already, in a directory of
   * {@link #createJoining}. Afterwards the group file of all members has to name it.
   *
   * @param former name of a member whose machine is lost, or switched off for good
   * @param member name that no member ever had
   * @param address of the new member, host and port
   * @return whether it was done within the time; if not, it may be repeated
   * @throws IllegalArgumentException if a name is that of this member, or both are one
   * @throws NotLeaderException if this member does not lead
   */
  public boolean replace(String former, String member, String address, Duration time) {
    if (former.equals(name) || member.equals(name) || former.equals(member)) {
      throw new IllegalArgumentException(
          "replace "
              + former
              + " by "
              + member
              + ": member "
              + name
              + " leads and stays, and the new name is one that no member ever had");
    }
    return node.replace(former, member, address, time.toNanos());
  }

  /** Returns the name of the leader, as far as this member knows; null if none is known. */
  public @Nullable String knownLeader() {
    return node.knownLeader();
  }

  /** Returns how often this member has replaced its files by a snapshot since it was opened. */
  public long snapshotsInstalled() {
    return node.snapshotsInstalled();
  }

  /** Returns why this member has not got a snapshot that it needs, or null. */
  public @Nullable String installProblem() {
    return node.installProblem();
  }

  /** Returns why the member has ended by itself, or null. */
  public @Nullable Throwable failure() {
    return node.failure();
  }

  /** Ends the member, and returns when its threads have ended. */
  @Override
  public void close() {
    PeerEndpoint endpoint = this.endpoint;
    try {
      if (endpoint != null) {
        endpoint.close();
      }
    } finally {
      try {
        node.close();
      } finally {
        storage.close();
      }
    }
  }
}
