package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.trace.Site;

/** The lines of Algorithm 1 of the paper, as sites of the queue programs' events. */
final class QueueSites {
  static final int CWL_BARRIER_BEFORE_LOCK = line(3, "persist barrier before lock");
  static final int CWL_LOCK = line(4, "lock queue");
  static final int CWL_BARRIER_AFTER_LOCK = line(5, "persist barrier after lock");
  static final int CWL_STRAND = line(6, "new strand");
  static final int CWL_TAIL = line(7, "check for room");
  static final int CWL_BARRIER_TAIL = line(7, "persist barrier after reading tail");
  static final int CWL_COPY = line(7, "copy record");
  static final int CWL_BARRIER_AFTER_COPY = line(7, "persist barrier after copy");
  static final int CWL_BARRIER_HEAD = line(8, "persist barrier before head");
  static final int CWL_HEAD = line(9, "advance head");
  static final int CWL_BARRIER_AFTER_HEAD = line(10, "persist barrier after head");
  static final int CWL_BARRIER_BEFORE_UNLOCK = line(11, "persist barrier before unlock");
  static final int CWL_UNLOCK = line(12, "unlock queue");
  static final int CWL_BARRIER_AFTER_UNLOCK = line(13, "persist barrier after unlock");
  static final int INSERT_CWL = line(2, "insert");

  static final int INSERT_2LC = line(16, "insert");
  static final int RESERVE_BARRIER_BEFORE_LOCK = line(17, "persist barrier before reserve lock");
  static final int RESERVE_LOCK = line(17, "lock reserve");
  static final int RESERVE_BARRIER_AFTER_LOCK = line(17, "persist barrier after reserve lock");
  static final int RESERVE_TAIL = line(18, "check for room");
  static final int RESERVE_HEAD = line(18, "reserve space");
  static final int APPEND = line(19, "append to insert list");
  static final int RESERVE_BARRIER_BEFORE_UNLOCK =
      line(20, "persist barrier before reserve unlock");
  static final int RESERVE_UNLOCK = line(20, "unlock reserve");
  static final int RESERVE_BARRIER_AFTER_UNLOCK = line(20, "persist barrier after reserve unlock");
  static final int TWO_LOCK_STRAND = line(21, "new strand");
  static final int TWO_LOCK_TAIL = line(22, "read tail");
  static final int TWO_LOCK_BARRIER_TAIL = line(22, "persist barrier after reading tail");
  static final int TWO_LOCK_COPY = line(22, "copy record");
  static final int TWO_LOCK_BARRIER_AFTER_COPY = line(22, "persist barrier after copy");
  static final int UPDATE_BARRIER_BEFORE_LOCK = line(23, "persist barrier before update lock");
  static final int UPDATE_LOCK = line(23, "lock update");
  static final int UPDATE_BARRIER_AFTER_LOCK = line(23, "persist barrier after update lock");
  static final int REMOVE_NODE = line(24, "remove from insert list");
  static final int TWO_LOCK_BARRIER_HEAD = line(27, "persist barrier before head");
  static final int TWO_LOCK_HEAD = line(28, "persist head");
  static final int TWO_LOCK_BARRIER_AFTER_HEAD = line(29, "persist barrier after head");
  static final int UPDATE_BARRIER_BEFORE_UNLOCK = line(31, "persist barrier before update unlock");
  static final int UPDATE_UNLOCK = line(31, "unlock update");
  static final int UPDATE_BARRIER_AFTER_UNLOCK = line(31, "persist barrier after update unlock");

  static final int REMOVE = Site.at("remove", 0, "remove");
  static final int REMOVE_LOCK = Site.at("remove", 1, "lock");
  static final int REMOVE_READ = Site.at("remove", 2, "read record");
  static final int REMOVE_BARRIER = Site.at("remove", 3, "persist barrier before tail");
  static final int REMOVE_TAIL = Site.at("remove", 4, "advance tail");
  static final int REMOVE_UNLOCK = Site.at("remove", 5, "unlock");

  private QueueSites() {}

  private static int line(int line, String what) {
    return Site.at("Algorithm 1", line, what);
  }
}
