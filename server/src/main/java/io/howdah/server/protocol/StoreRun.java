package io.howdah.server.protocol;

import io.howdah.server.cache.CacheBusyException;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Expiry;
import io.howdah.server.protocol.StoreCommand.Outcome;
import io.howdah.server.watch.EventKind;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Runs a command that stores: at once, or in several turns if it extends a large value. */
public final class StoreRun implements Continuation {

  /** Replies to the command. */
  @FunctionalInterface
  public interface End {

    /** Replies; the outcome is null if there was no memory. */
    void end(StoreCommand command, @Nullable Outcome outcome, Reply reply);
  }

  private final StoreCommand command;
  private final SessionContext session;
  private final ValueJoin join;
  private final End end;
  private boolean isWaiting;

  private StoreRun(StoreCommand command, SessionContext session, ValueJoin join, End end) {
    this.command = command;
    this.session = session;
    this.join = join;
    this.end = end;
  }

  /** Runs a command whose value is there, and replies, now or as the decoder goes on. */
  public static void run(
      StoreCommand command, SessionContext session, Decoder decoder, End end, Reply reply) {
    Outcome outcome = null;
    try {
      outcome = command.run(session.cache(), session.options());
    } catch (CacheFullException _) {
      // the outcome is null
    } catch (RuntimeException | Error e) {
      command.release(); // no decoder has it any more
      throw e;
    }
    if (outcome == Outcome.TO_BE_JOINED) {
      ValueJoin join = new ValueJoin(command, session.cache(), session.options());
      decoder.continueWith(new StoreRun(command, session, join, end));
    } else {
      command.release();
      tell(command, outcome, session);
      end.end(command, outcome, reply);
    }
  }

  private static void tell(
      StoreCommand command, @Nullable Outcome outcome, SessionContext session) {
    if (session.events().isWatched(EventKind.MUTATIONS)) {
      long now = session.cache().now();
      long expiresAt = command.storedExpiry(now);
      session
          .events()
          .stored(
              command.key,
              outcome == null ? "no_memory" : outcome.name().toLowerCase(Locale.ROOT),
              command.mode.name().toLowerCase(Locale.ROOT),
              expiresAt == Expiry.NEVER ? 0 : Math.max(0, expiresAt - now),
              command.storedBytes());
    }
  }

  @Override
  public boolean next(Reply reply) {
    isWaiting = false;
    Outcome outcome = null;
    try {
      if (join.step()) {
        return true;
      }
      outcome = command.outcome();
    } catch (CacheBusyException _) {
      isWaiting = true;
      return true;
    } catch (CacheFullException _) {
      // the outcome is null
    }
    release();
    tell(command, outcome, session);
    end.end(command, outcome, reply);
    return false;
  }

  @Override
  public boolean isWaiting() {
    return isWaiting;
  }

  @Override
  public int heldBytes() {
    return join.heldBytes();
  }

  @Override
  public void release() {
    join.release();
    command.release();
  }
}
