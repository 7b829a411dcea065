package io.howdah.replica.consensus;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A consensus engine, as one member of a group sees it: it brings entries into one order, which is
 * the same for all members, and makes them durable on a majority. Leadership is a hint: the entries
 * decide (docs/replica.md).
 *
 * <p>Nothing here has a time limit. A proposal comes back committed, perhaps more than once and
 * perhaps much later, or it never comes back.
 *
 * <p>Thread-safe.
 */
public interface Consensus extends AutoCloseable {

  /**
   * Starts the engine, once. It hands over all committed entries behind a position, and perhaps
   * some before it again.
   *
   * @param behind a position of {@link #checkpointed}, an earlier one that was not removed, or that
   *     of a snapshot of another member, behind which this member's log may lack entries
   * @throws io.howdah.core.CorruptStoreException if the member's log lacks entries behind it
   */
  void start(Member member, Position behind);

  /**
   * Proposes an entry, if this member is the leader. May be ignored, as if it had got lost; a
   * leader that cannot propose for long is told by {@link Member#notLeader}. Proposals of one
   * thread keep their order if all of them are committed.
   *
   * @param entry from position to limit; copied before the return
   */
  void propose(ByteBuffer entry);

  /**
   * Tells that this member needs no entry up to a position any more: the engine may remove them
   * from this member's log. Later calls have later positions.
   */
  void checkpointed(Position position);

  /**
   * Asks that another member leads. Called on the leader, which does not propose any more. If it
   * cannot be done, this member may go on leading, or another one. Does not wait.
   */
  void transfer(String member);

  /**
   * Removes a member from the group and adds another one in its place. Called on the leader, and
   * returns when a majority of the new group has agreed.
   *
   * @param former name of a member whose machine is lost, or switched off for good
   * @param name of the new member, which no member ever had
   * @param address of the new member, host and port
   * @return whether it was done; false if it was not yet, so that the call may be repeated
   */
  boolean replace(String former, String name, String address);

  /**
   * Ends the engine and returns when no method of the member runs, nor will be called. Not called
   * from a method of the member.
   */
  @Override
  void close();

  /**
   * What the engine tells. Called by one thread at a time. A method that throws ends the member.
   */
  interface Member {

    /**
     * Tells that an entry is committed. Called in the order of the log. May block, which holds the
     * engine back.
     *
     * @param entry from position to limit; valid during the call
     */
    void committed(Position at, ByteBuffer entry);

    /** Tells that this member leads, and that everything before its term was handed over. */
    void leaderReady();

    /**
     * Tells that this member does not lead. May be late, repeated, or wrong.
     *
     * @param leader the name of the leader, if it is known
     */
    void notLeader(@Nullable String leader);

    /**
     * Tells that the group has removed entries that this member has not got. Nothing is handed over
     * any more. The member closes the engine, gets a snapshot from another member, and starts an
     * engine behind its position.
     *
     * @param firstIndex of the first entry that the group still has
     */
    void behind(long firstIndex);

    /** Tells that the engine has ended by itself. */
    void stopped(Throwable cause);
  }

  /**
   * A place in the log.
   *
   * @param term of the leader that appended the entry
   * @param index of the entry; {@link #START} is before the first one
   */
  record Position(long term, long index) {

    /** The place before the first entry. */
    public static final Position START = new Position(0, 0);
  }
}
