package io.howdah.server.net;

import io.howdah.Store;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A member of a replica group, whose items a {@link Server} serves while the member leads. The
 * server knows no implementation: the command finds one by its {@link Provider}.
 *
 * <p>Thread-safe.
 */
public interface GroupMember extends AutoCloseable {

  /** Opens members; found by {@link java.util.ServiceLoader}. */
  interface Provider {

    /**
     * Opens a member.
     *
     * @param directory of the member
     * @param group the group file
     * @param name of the member
     * @throws IllegalArgumentException if the group file or the name is wrong
     * @throws io.howdah.core.HowdahException if the directory is not one of this member
     */
    GroupMember open(Path directory, Path group, String name);
  }

  /** Is told of the role of a member. One call at a time. */
  interface Listener {

    /**
     * The member leads, over a store that fails when it ceases to lead. The listener does not close
     * the store.
     */
    void leads(Store store);

    /**
     * The member does not lead.
     *
     * @param leader address of the leader for passed connections; null if no leader is known
     */
    void follows(@Nullable InetSocketAddress leader);

    /** The member has stopped by itself, and does not start again. */
    void failed(RuntimeException cause);
  }

  /** Returns the name of the member in its group. */
  String name();

  /** Returns the name of the leader, as far as the member knows; null if no leader is known. */
  @Nullable String leaderName();

  /** Returns the index of the last entry of the group's log that the member has applied. */
  long position();

  /** Returns the most that the data of the group's store may take, in bytes. */
  long maxSizeBytes();

  /** Returns the address at which the member accepts the connections that other members pass. */
  InetSocketAddress relayAddress();

  /** Begins to tell a listener; called once. The first call may come before this returns. */
  void start(Listener listener);

  /**
   * Returns a stage that completes when it is certain that the member led over a store at the time
   * of this call, so that what was read from the store before is the newest state of the group. It
   * fails if that is not certain. Returns at once.
   *
   * @param store that the listener was told of
   */
  CompletionStage<@Nullable Void> confirm(Store store);

  /** Ends the member. */
  @Override
  void close();
}
