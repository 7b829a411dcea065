package io.howdah.testkit;

/** What a simulated thread was about to do at a scheduling point. */
enum Step {
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

  /** Returns a number for traces, the same in every run of the JVM. */
  int code() {
    return name().hashCode();
  }
}
