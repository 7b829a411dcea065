package io.howdah.crashtest.fuzz;

import java.util.List;

/**
 * Something that takes bytes nobody vouches for. A run ends in time, takes bounded memory, and
 * throws only if a promise is broken: the errors that a caller may get are caught by the target.
 */
public interface FuzzTarget {

  /** Returns the name that selects it: lower case, words joined by hyphens. */
  String name();

  /** Returns, in one line, what it is. */
  String what();

  /** Returns inputs that are right, for a fuzzer to begin with. */
  List<byte[]> seeds();

  /**
   * Runs one input; the same input does the same.
   *
   * @throws io.howdah.crashtest.oracle.Violation if an answer is wrong
   */
  void run(byte[] input) throws Exception;
}
