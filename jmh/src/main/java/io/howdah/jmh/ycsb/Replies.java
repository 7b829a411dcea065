package io.howdah.jmh.ycsb;

/** Told what a server has answered, in the order of the requests of a connection. */
interface Replies {

  /**
   * A value came.
   *
   * @param version of the value
   * @param nanos since the request was due
   */
  void hit(long number, long version, long nanos);

  /** The server does not have the record. */
  void miss(long number, long nanos);

  /** The server has acknowledged a write. */
  void stored(long number, long version, long nanos);
}
