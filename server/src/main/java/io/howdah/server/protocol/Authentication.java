package io.howdah.server.protocol;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import org.jspecify.annotations.Nullable;

/** Whether one connection's client has said who it is. For one thread at a time. */
public final class Authentication {

  /** After so many failures the connection is closed, so that guessing takes connections. */
  public static final int MAX_FAILURES = 8;

  private final @Nullable Authenticator authenticator;
  private final CommandCounters counters;
  private boolean isDone;
  private int failures;

  public Authentication(@Nullable Authenticator authenticator, CommandCounters counters) {
    this.authenticator = authenticator;
    this.counters = counters;
    this.isDone = authenticator == null;
  }

  /** Returns whether this server asks who its clients are. */
  public boolean isAsked() {
    return authenticator != null;
  }

  /** Returns whether commands may run. */
  public boolean isDone() {
    return isDone;
  }

  /** Counts what a client tried that has not authenticated itself. */
  public void refused() {
    failures++;
  }

  /** Returns whether the client has failed so often that the connection is to be closed. */
  public boolean isHopeless() {
    return failures >= MAX_FAILURES;
  }

  /** Tries a password. Once a client is known, a wrong password makes it unknown again. */
  public boolean attempt(byte[] user, byte[] password) {
    counters.count(Counter.AUTH_CMDS);
    isDone = authenticator != null && authenticator.isAllowed(user, password);
    if (!isDone) {
      counters.count(Counter.AUTH_ERRORS);
      failures++;
    }
    return isDone;
  }

  /** Counts an attempt that is no user and password at all. */
  public void malformed() {
    counters.count(Counter.AUTH_CMDS);
    counters.count(Counter.AUTH_ERRORS);
    isDone = false;
    failures++;
  }
}
