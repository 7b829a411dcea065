/** Persistent collections, persistent objects and their codecs. */
@SuppressWarnings("module") // the module exported to is built after this one
module io.howdah.collections {
  requires jdk.jfr;
  requires transitive io.howdah.core;
  requires transitive io.howdah.txn;
  requires static org.jspecify;

  exports io.howdah.codec;
  exports io.howdah.codec.derived;
  exports io.howdah.collections;
  exports io.howdah.collections.changes;
  exports io.howdah.collections.catalogue to
      io.howdah;
  exports io.howdah.collections.structure to
      io.howdah;
  exports io.howdah.objects;

  uses io.howdah.codec.derived.ClassDescriber;
}
