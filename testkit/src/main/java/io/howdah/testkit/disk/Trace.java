package io.howdah.testkit.disk;

import io.howdah.testkit.schedule.Mixer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What a process asked of the disk: a hash over all of it, the last few in words. */
final class Trace {

  private static final int KEPT = 256;

  private record Line(
      long number, Operation operation, String file, long offset, long length, long content) {
    @Override
    public String toString() {
      return number
          + " "
          + operation
          + (file.isEmpty() ? "" : " " + file)
          + (length == 0 ? "" : " [" + offset + ", +" + length + ")")
          + (content == 0 ? "" : " #" + Long.toHexString(content));
    }
  }

  private final Deque<Line> last = new ArrayDeque<>();
  private long hash;

  void add(long number, Operation operation, String file, long offset, long length, long content) {
    mix(Mixer.mix(operation.code(), offset, length) ^ Mixer.mix(file.hashCode(), content));
    if (last.size() == KEPT) {
      last.removeFirst();
    }
    last.addLast(new Line(number, operation, file, offset, length, content));
  }

  void mix(long word) {
    hash = Mixer.mix(hash, word);
  }

  long hash() {
    return hash;
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Line line : last) {
      lines.add(line.toString());
    }
    return lines;
  }
}
