package io.howdah.testkit.disk;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of directory entries that a power cut may lose, whole, until each directory it touches
 * has been forced. One that is kept although an earlier one was lost is what reordering looks like.
 */
final class NameOperation {

  /** The name that goes, or null. */
  final @Nullable String from;

  /** The name that comes, or null. */
  final @Nullable String to;

  final Inode inode;
  final long sequence;

  /** Directories still to be forced. */
  private final Set<String> unforced = new HashSet<>();

  private boolean unknown;

  private NameOperation(@Nullable String from, @Nullable String to, Inode inode, long sequence) {
    this.from = from;
    this.to = to;
    this.inode = inode;
    this.sequence = sequence;
    if (from != null) {
      unforced.add(FileSystem.parent(from));
    }
    if (to != null) {
      unforced.add(FileSystem.parent(to));
    }
  }

  static NameOperation create(String name, Inode inode, long sequence) {
    return new NameOperation(null, name, inode, sequence);
  }

  static NameOperation delete(String name, Inode inode, long sequence) {
    return new NameOperation(name, null, inode, sequence);
  }

  static NameOperation rename(String from, String to, Inode inode, long sequence) {
    return new NameOperation(from, to, inode, sequence);
  }

  NameOperation fork(Inode copiedInode) {
    NameOperation copy = new NameOperation(from, to, copiedInode, sequence);
    copy.unforced.retainAll(unforced);
    copy.unknown = unknown;
    return copy;
  }

  void applyTo(Map<String, Inode> names) {
    if (from != null && to != null) {
      // The file moves, from wherever it is: if an earlier rename was lost, that is another name.
      names.values().removeIf(bound -> bound == inode);
    } else if (from != null) {
      names.remove(from, inode);
    }
    if (to != null) {
      names.put(to, inode);
    }
  }

  boolean isIn(String directory) {
    return (from != null && FileSystem.parent(from).equals(directory))
        || (to != null && FileSystem.parent(to).equals(directory));
  }

  boolean isDurable() {
    return unforced.isEmpty() && !unknown;
  }

  void forced(String directory) {
    unforced.remove(directory);
  }

  void forceFailed() {
    unknown = true;
  }

  @Override
  public String toString() {
    if (from == null) {
      return "create " + to;
    }
    return to == null ? "delete " + from : "rename " + from + " to " + to;
  }
}
