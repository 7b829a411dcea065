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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ServiceLoader;
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

  private final Storage storage;
  private final ReplicaNode node;

  private ReplicatedStore(Storage storage, ReplicaNode node) {
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
    group.requireMember(name);
    try (Storage storage = FileStorage.open(directory)) {
      if (SuperblockFile.exists(storage) || Files.exists(directory.resolve(MEMBER_FILE))) {
        throw new UnsupportedStoreException(
            directory + " holds a store or a member of a group; name an empty or a new directory");
      }
      Files.writeString(
          directory.resolve(MEMBER_FILE), identity(group, name), StandardCharsets.UTF_8);
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
    requireIdentity(directory, group, name);
    Storage storage = FileStorage.open(directory, FileStorageOptions.DEFAULT.withCreate(false));
    boolean isOpen = false;
    try {
      ReplicaNode node =
          new ReplicaNode(
              name,
              group.storeId(),
              group.dimensioned(options),
              storage,
              provider.engines(
                  group.cluster(), group.peers(), name, directory.resolve(LOG_DIRECTORY)));
      node.start();
      isOpen = true;
      return new ReplicatedStore(storage, node);
    } finally {
      if (!isOpen) {
        storage.close();
      }
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

  private static void requireIdentity(Path directory, ReplicaGroup group, String name) {
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
      if (!found.equals(expected)) {
        throw new UnsupportedStoreException(
            directory + " is of " + found.strip() + ", not of " + expected.strip());
      }
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

  /**
   * Makes a checkpoint, so that the next start replays less; see {@link ReplicaNode#checkpoint}.
   */
  public void checkpoint() {
    node.checkpoint();
  }

  /** Returns why the member has ended by itself, or null. */
  public @Nullable Throwable failure() {
    return node.failure();
  }

  /** Ends the member, and returns when its threads have ended. */
  @Override
  public void close() {
    try {
      node.close();
    } finally {
      storage.close();
    }
  }
}
