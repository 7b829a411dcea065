package io.howdah.txn.stm;

/** What a time limit takes away when it is over. */
interface Expirable {

  /** Makes the transaction's handle unusable, from another thread. */
  void expire();
}
