package io.howdah.jmh.study;

import io.howdah.jmh.workload.Rounds;

/** Told how far a study is, on the thread that runs it. */
public interface StudyProgress {

  /** Another part begins, for instance "filling the heaps". */
  void begins(String part);

  /** Returns what is told of rounds that compare what is named here. */
  Rounds.Progress rounds(String what);
}
