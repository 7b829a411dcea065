package io.howdah.log.recovery;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;

/** The identity of the store to which a log belongs, and the seeds of checksums made of it. */
record LogIdentity(long storeIdHigh, long storeIdLow) {

  long storeTag() {
    return BatchLayout.storeTag(storeIdHigh, storeIdLow);
  }

  int firstPreviousCrc(long generation) {
    return BatchLayout.firstPreviousCrc(storeTag(), generation);
  }

  long logSeed(long generation, int partition) {
    return RedoRecordLayout.logSeed(storeIdHigh, storeIdLow, generation, partition);
  }
}
