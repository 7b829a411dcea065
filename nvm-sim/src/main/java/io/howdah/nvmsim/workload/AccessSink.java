package io.howdah.nvmsim.workload;

/** Takes the instructions of a program as it runs. Addresses are bytes of one physical space. */
public interface AccessSink {
  /** Instructions that access no memory. */
  void work(int instructions);

  void load(long address);

  void store(long address);
}
