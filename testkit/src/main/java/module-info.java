/** A simulated disk, a deterministic scheduler and a crash harness for tests. */
module io.howdah.testkit {
  requires transitive io.howdah.core;
  requires static org.junit.jupiter.api;
  requires static org.jspecify;

  exports io.howdah.testkit;
  exports io.howdah.testkit.crash;
  exports io.howdah.testkit.disk;
  exports io.howdah.testkit.schedule;
}
