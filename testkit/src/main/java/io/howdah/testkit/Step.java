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
  END
}
