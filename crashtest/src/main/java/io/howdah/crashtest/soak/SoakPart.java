package io.howdah.crashtest.soak;

/** The structures of a worker, each with a digest of its content. */
enum SoakPart {
  MAP(0),
  SORTED(1),
  QUEUE(2),
  BLOB(3),
  OBJECTS(4),
  INDEXED(5),
  EXPIRING(6),
  GROWN(7);

  private final int index;

  SoakPart(int index) {
    this.index = index;
  }

  /** Returns its place among the digests of a worker. */
  int index() {
    return index;
  }
}
