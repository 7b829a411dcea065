/** Crash tests of services that keep their data in a store. */
module io.howdah.storetest {
  requires transitive io.howdah;
  requires transitive io.howdah.testkit;
  requires static org.junit.jupiter.api;
  requires static org.jspecify;

  exports io.howdah.storetest;
}
