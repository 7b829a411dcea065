package io.howdah.crashtest.kill;

/** What a store holds after it was opened, for the {@link Ledger} to judge. */
interface RecoveredState {

  /** Returns how many transfers of a thread in a mode the store says it holds. */
  long transfers(int mode, int thread);

  /** Returns how many people live in a city. */
  long population(int city);
}
