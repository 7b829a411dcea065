package io.howdah.core.storage.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory limits of the control groups that this process is in: that of its own group and those
 * of all enclosing ones that the process can see, such as a service's, its slice's, a container's.
 * Both versions of control groups are looked at, since a system may have both.
 *
 * @param root of the file system in which {@code /proc} and {@code /sys} are found
 */
record ControlGroups(Path root) {

  private static final String MEMBERSHIP = "proc/self/cgroup";
  private static final String MOUNTS = "proc/self/mountinfo";
  private static final String MEMORY = "memory";

  // The second version, and the first one.
  private static final String LIMIT = "memory.max";
  private static final String OLD_LIMIT = "memory.limit_in_bytes";
  private static final String OLD_STATISTICS = "memory.stat";
  private static final String OLD_ENCLOSING_LIMIT = "hierarchical_memory_limit ";

  /** Returns the lowest limit in bytes, {@link Long#MAX_VALUE} if none is found. */
  long memoryLimitBytes() {
    long limit = Long.MAX_VALUE;
    for (Mount mount : mounts()) {
      for (Path group : groups(mount)) {
        limit = Math.min(limit, limitBytes(group, mount));
      }
    }
    return limit;
  }

  private static long limitBytes(Path group, Mount mount) {
    if (mount.isSecond()) {
      return figure(group.resolve(LIMIT));
    }
    long enclosing = Long.MAX_VALUE;
    for (String line : lines(group.resolve(OLD_STATISTICS))) {
      if (line.startsWith(OLD_ENCLOSING_LIMIT)) {
        // Of all enclosing groups, also of those above what is mounted here.
        enclosing = number(line.substring(OLD_ENCLOSING_LIMIT.length()));
      }
    }
    return Math.min(enclosing, figure(group.resolve(OLD_LIMIT)));
  }

  /** Returns the directories of the process's group and those around it, inmost first. */
  private List<Path> groups(Mount mount) {
    List<Path> groups = new ArrayList<>();
    Path top = mount.point();
    Path group = top.resolve(membership(mount)).normalize();
    // Outside of what is mounted, or of the process's view of the groups: only the top is seen.
    for (Path at = group.startsWith(top) ? group : top;
        at != null && at.startsWith(top);
        at = at.getParent()) {
      groups.add(at);
    }
    return groups;
  }

  /** Returns the path of the process's group below what is mounted, "" if it is not there. */
  private String membership(Mount mount) {
    for (String line : lines(root.resolve(MEMBERSHIP))) {
      // ID:controller,controller:/path
      String[] parts = line.split(":", 3);
      if (parts.length == 3
          && (mount.isSecond() ? parts[1].isEmpty() : names(parts[1], MEMORY))
          && (parts[2] + "/").startsWith(mount.withSlash())) {
        return parts[2].substring(Math.min(mount.withSlash().length(), parts[2].length()));
      }
    }
    return "";
  }

  /**
   * A mounted hierarchy of groups.
   *
   * @param group the group that is mounted: "/", or a container's
   * @param point where
   */
  private record Mount(boolean isSecond, String group, Path point) {

    String withSlash() {
      return group.endsWith("/") ? group : group + "/";
    }
  }

  private List<Mount> mounts() {
    List<Mount> mounts = new ArrayList<>();
    for (String line : lines(root.resolve(MOUNTS))) {
      // ID parent device root point options optional... - type source options
      int separator = line.indexOf(" - ");
      if (separator < 0) {
        continue;
      }
      String[] before = line.substring(0, separator).split(" ", -1);
      String[] after = line.substring(separator + 3).split(" ", -1);
      boolean second = after[0].equals("cgroup2");
      boolean first = after[0].equals("cgroup") && after.length > 2 && names(after[2], MEMORY);
      if (before.length > 4 && (first || second)) {
        try {
          Path point = root.resolve(unescaped(before[4]).substring(1)).normalize();
          mounts.add(new Mount(second, unescaped(before[3]), point));
        } catch (RuntimeException e) {
          // No path of this system.
        }
      }
    }
    return mounts;
  }

  /** Replaces what the kernel writes for blanks and line ends, such as {@code \040}. */
  private static String unescaped(String path) {
    StringBuilder text = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '\\' && i + 3 < path.length()) {
        c = (char) Integer.parseInt(path.substring(i + 1, i + 4), 8);
        i += 3;
      }
      text.append(c);
    }
    return text.toString();
  }

  private static boolean names(String list, String name) {
    return List.of(list.split(",", -1)).contains(name);
  }

  private static long figure(Path file) {
    List<String> lines = lines(file);
    return lines.isEmpty() ? Long.MAX_VALUE : number(lines.getFirst());
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE; // "max": no limit
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException | RuntimeException e) {
      return List.of(); // no such file on this system, or none that may be read
    }
  }
}
