/** A simulator of non-volatile memory. */
module io.howdah.nvmsim {
  requires transitive io.howdah.core;
  requires io.howdah.testkit;
  requires static org.jspecify;
}
