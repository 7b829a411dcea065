package io.howdah.crashtest.workload;

import java.util.Map;

/**
 * What is there after a crash. Immutable.
 *
 * @param content of the store
 * @param copies what the backups hold that can be opened, by the step that made them
 */
record Found(Content content, Map<Long, Content> copies) {

  Found {
    copies = Map.copyOf(copies);
  }
}
