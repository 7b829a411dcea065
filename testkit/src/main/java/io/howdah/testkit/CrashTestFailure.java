package io.howdah.testkit;

import io.howdah.testkit.crash.CrashReplay;

/** A crash test failed; the message holds what to do to have it again. */
public final class CrashTestFailure extends AssertionError {

  private static final long serialVersionUID = 1L;

  private final transient CrashReplay replay;

  CrashTestFailure(CrashReplay replay, String problem, Throwable cause) {
    super(problem + "\nreplay: -D" + CrashReplay.PROPERTY + "=" + replay, cause);
    this.replay = replay;
  }

  /** Returns what leads to this failure again. */
  public CrashReplay replay() {
    return replay;
  }
}
