package io.howdah.crashtest.workload;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a store holds after some steps: a plain copy to compare with. Immutable.
 *
 * @param map of the hash map
 * @param sorted of the sorted map
 * @param queue from its head
 * @param blocks the tag that fills each block in use, by its slot
 * @param counter of a few words that are always written together
 */
record Content(
    Map<Long, String> map,
    Map<Long, String> sorted,
    List<Long> queue,
    Map<Integer, Long> blocks,
    long counter) {

  static final Content EMPTY = new Content(Map.of(), Map.of(), List.of(), Map.of(), 0);

  Content {
    map = Map.copyOf(map);
    sorted = Map.copyOf(sorted);
    queue = List.copyOf(queue);
    blocks = Map.copyOf(blocks);
  }

  Content put(long from, int count, String value) {
    Map<Long, String> next = new HashMap<>(map);
    for (int i = 0; i < count; i++) {
      next.put(from + i, value);
    }
    return new Content(next, sorted, queue, blocks, counter);
  }

  Content remove(long key) {
    Map<Long, String> next = new HashMap<>(map);
    next.remove(key);
    return new Content(next, sorted, queue, blocks, counter);
  }

  Content cleared() {
    return new Content(Map.of(), sorted, queue, blocks, counter);
  }

  Content sortedPut(long from, int count, String value) {
    Map<Long, String> next = new HashMap<>(sorted);
    for (int i = 0; i < count; i++) {
      next.put(from + i, value);
    }
    return new Content(map, next, queue, blocks, counter);
  }

  Content sortedRemove(long from, int count) {
    Map<Long, String> next = new HashMap<>(sorted);
    for (int i = 0; i < count; i++) {
      next.remove(from + i);
    }
    return new Content(map, next, queue, blocks, counter);
  }

  Content added(long element) {
    List<Long> next = new ArrayList<>(queue);
    next.add(element);
    return new Content(map, sorted, next, blocks, counter);
  }

  Content polled() {
    return queue.isEmpty()
        ? this
        : new Content(map, sorted, queue.subList(1, queue.size()), blocks, counter);
  }

  Content block(int slot, long tag) {
    Map<Integer, Long> next = new HashMap<>(blocks);
    if (tag == 0) {
      next.remove(slot);
    } else {
      next.put(slot, tag);
    }
    return new Content(map, sorted, queue, next, counter);
  }

  Content counted(long value) {
    return new Content(map, sorted, queue, blocks, value);
  }
}
