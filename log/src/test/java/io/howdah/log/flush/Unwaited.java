package io.howdah.log.flush;

import io.howdah.log.report.LogStall;

/** For targets that do not wait: every call is a failure. */
enum Unwaited implements BatchTarget.Waiting {
  INSTANCE;

  @Override
  public void waitsFor(LogStall.Reason reason) {
    throw new AssertionError("waits for " + reason);
  }

  @Override
  public void watch() {
    throw new AssertionError("waits");
  }

  @Override
  public boolean isClosing() {
    throw new AssertionError("waits");
  }

  /** For a target that needs one segment. */
  @SuppressWarnings("DoNotCallSuggester") // its callers must not need it
  static Segment noFurtherSegment(BatchTarget.Waiting waiting) {
    throw new AssertionError("needs a further segment");
  }
}
