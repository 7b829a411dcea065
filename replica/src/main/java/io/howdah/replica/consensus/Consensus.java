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
   * @param behind a position of {@link #checkpointed}, or an earlier one that was not removed
   * @throws io.howdah.core.CorruptStoreException if the member's log lacks entries behind it
   */
  void start(Member member, Position behind);

  /**
   * Proposes an entry, if this member is the leader. May be ignored; a leader that cannot propose
   * is told by {@link Member#notLeader}. Proposals of one thread keep their order if all of them
   * are committed.
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
