package io.howdah.collections;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What the collections of a {@link CollectionWalk} should hold, in collections of the JDK. */
final class WalkState {

  /** An element of the queue; the number tells equal ones apart. */
  record Queued(long number, String value) {}

  final Map<String, String> map;
  final Map<Long, Long> numbers;
  final TreeMap<String, String> sorted;
  final TreeMap<Long, Long> sortedNumbers;
  final Set<String> set;
  final List<String> list;
  final ArrayDeque<Queued> queue;
  final Map<Long, byte[]> blocks;
  byte[] blob;
  long counter;

  WalkState() {
    map = new HashMap<>();
    numbers = new HashMap<>();
    sorted = new TreeMap<>();
    sortedNumbers = new TreeMap<>();
    set = new HashSet<>();
    list = new ArrayList<>();
    queue = new ArrayDeque<>();
    blocks = new HashMap<>();
    blob = new byte[0];
  }

  private WalkState(WalkState other) {
    map = new HashMap<>(other.map);
    numbers = new HashMap<>(other.numbers);
    sorted = new TreeMap<>(other.sorted);
    sortedNumbers = new TreeMap<>(other.sortedNumbers);
    set = new HashSet<>(other.set);
    list = new ArrayList<>(other.list);
    queue = new ArrayDeque<>(other.queue);
    blocks = new HashMap<>(other.blocks); // arrays are replaced, not changed
    blob = other.blob;
    counter = other.counter;
  }

  WalkState copy() {
    return new WalkState(this);
  }

  void writeBlob(int offset, byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    byte[] changed = Arrays.copyOf(blob, Math.max(blob.length, offset + bytes.length));
    System.arraycopy(bytes, 0, changed, offset, bytes.length);
    blob = changed;
  }
}
