package io.howdah.server.protocol;

import io.howdah.server.watch.Watcher;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One connection's state in one protocol. For one thread at a time. */
public abstract class Decoder {

  /** The rest of the command at hand; commands behind it wait until it has ended. */
  private @Nullable Continuation rest;

  /**
   * Takes at least one byte, or goes on with a command that {@link #hasMore}. Runs at most one
   * command.
   */
  public final void take(ByteBuffer input, Reply reply) {
    Continuation current = rest;
    if (current == null) {
      takeInput(input, reply);
      return;
    }
    rest = null; // its last part may begin another one
    boolean goesOn = true;
    try {
      goesOn = current.next(reply);
    } finally {
      if (goesOn) {
        rest = current;
      }
    }
    if (rest == null) {
      ended();
    }
  }

  /**
   * Runs several commands of the input at once, if it begins with such as can be run together.
   *
   * @param maxReplyBytes no command starts once the reply has this many bytes
   * @param maxCommands at least 1
   * @return how many commands it has run; 0 if {@link #take} has to run the next one
   */
  public int takeSeveral(ByteBuffer input, Reply reply, int maxReplyBytes, int maxCommands) {
    return 0;
  }

  /** Takes at least one byte, and runs at most one command. */
  protected abstract void takeInput(ByteBuffer input, Reply reply);

  /** Called when a command that took several turns has ended. */
  protected abstract void ended();

  /** Leaves the rest of the command at hand for later turns. */
  public final void continueWith(Continuation rest) {
    this.rest = rest;
  }

  /** Returns whether the command at hand takes more turns. */
  public final boolean hasMore() {
    return rest != null;
  }

  /** Returns whether the command at hand waits for others, so that the next turn is not at once. */
  public final boolean isWaiting() {
    return rest != null && rest.isWaiting();
  }

  /** Returns the events that the client watches, or null if it does not. */
  public @Nullable Watcher watcher() {
    return null;
  }

  /** The client has asked for the end of the connection. */
  private boolean hasQuit;

  /** Notes that the client has asked for the end of the connection. */
  public final void noteQuit() {
    hasQuit = true;
  }

  /** Returns whether the client has asked for the end of the connection. */
  public final boolean hasQuit() {
    return hasQuit;
  }

  /** Returns whether the connection is to be closed. */
  public abstract boolean isClosed();

  /** Returns whether a command has begun to arrive and has not ended. */
  public final boolean isWithinCommand() {
    return rest != null || isArriving();
  }

  protected abstract boolean isArriving();

  /** Returns the number of bytes held between calls, about. */
  public final int heldBytes() {
    return inputBytes() + (rest == null ? 0 : rest.heldBytes());
  }

  protected abstract int inputBytes();

  /** Returns how many bytes of values have arrived, those of dropped values included. */
  public abstract long valueBytesTaken();

  /** Tells the client that there is no memory for what it sends. */
  public abstract void refuse(Reply reply);

  /** Ends what is under way, and frees what it has written. */
  public void release() {
    Continuation unfinished = rest;
    rest = null;
    if (unfinished != null) {
      unfinished.release();
    }
  }
}
