package io.howdah.testkit.schedule;

/** What a simulated thread was about to do at a scheduling point. */
public enum Step {
  LOAD,
  STORE,
  UPDATE,
  COPY,
  STORAGE,
  TIME,
  PARK,
  UNPARK,
  SPIN,
  YIELD,
  START,
  END;

  private final int code = name().hashCode();

  /** Returns a number for traces, the same in every run of the JVM. */
  int code() {
    return code;
  }
}
