package io.howdah.nvmsim.study;

/** Told how far a study is. Several threads may call it at once. */
@FunctionalInterface
public interface StudyProgress {
  /**
   * Reports progress.
   *
   * @param what the part that runs
   * @param share of that part that is done, 0 to 1
   */
  void show(String what, double share);
}
