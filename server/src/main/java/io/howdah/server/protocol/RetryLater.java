package io.howdah.server.protocol;

import io.howdah.server.cache.CacheBusyException;
import java.util.function.Consumer;

/** A command that runs when others have read their large values. */
public final class RetryLater implements Continuation {

  private final Consumer<Reply> command;

  /** Makes one that runs a command until it does not throw {@link CacheBusyException}. */
  public RetryLater(Consumer<Reply> command) {
    this.command = command;
  }

  @Override
  public boolean next(Reply reply) {
    try {
      command.accept(reply);
      return false;
    } catch (CacheBusyException _) {
      return true;
    }
  }

  @Override
  public boolean isWaiting() {
    return true;
  }
}
