/** The region's image on disk, and applying a recovery to it. */
module io.howdah.checkpoint {
  requires transitive io.howdah.core;
  requires io.howdah.log;
  requires static org.jspecify;
}
