package io.howdah.nvmsim.workload;

/**
 * Makes a workload of your own: found by {@link java.util.ServiceLoader}, or handed to {@link
 * WorkloadRecording}.
 */
public interface WorkloadProvider {
  /** Short name, as the command line has it. */
  String name();

  /**
   * Creates the workload, not yet filled.
   *
   * @param footprintBytes data it should have once it is filled
   */
  TransactionalWorkload create(TracedHeap heap, int footprintBytes);
}
