package io.howdah.replica.store;

/** How new the state is that a read of a replica sees. */
public enum ReadMode {
  /**
   * What the node has: a state that the group has committed, perhaps an old one. On any node,
   * without a message to another one.
   */
  LOCAL,

  /**
   * The newest state of the group: it has every commit that was acknowledged before the read began.
   * On the leader only, with one entry of the group's log, which is committed by a majority.
   */
  NEWEST
}
