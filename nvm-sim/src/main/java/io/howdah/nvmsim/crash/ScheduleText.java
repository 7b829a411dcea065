package io.howdah.nvmsim.crash;

import java.util.Arrays;

/**
 * A schedule as a line of text: {@code 0x12,1x3} is twelve turns of thread 0, then three of thread
 * 1.
 */
public final class ScheduleText {
  private static final int MAX_TURNS = 1 << 20;

  private ScheduleText() {}

  /** Writes a schedule. */
  public static String format(byte[] schedule) {
    StringBuilder text = new StringBuilder();
    int from = 0;
    while (from < schedule.length) {
      int to = from;
      while (to < schedule.length && schedule[to] == schedule[from]) {
        to++;
      }
      text.append(text.isEmpty() ? "" : ",").append(schedule[from]).append('x').append(to - from);
      from = to;
    }
    return text.toString();
  }

  /**
   * Reads a schedule.
   *
   * @throws IllegalArgumentException if it is none, naming the part
   */
  public static byte[] parse(String text) {
    byte[] schedule = new byte[64];
    int length = 0;
    for (String part : text.split(",", -1)) {
      int by = part.indexOf('x');
      try {
        int thread = Integer.parseInt(part.substring(0, Math.max(by, 0)));
        int turns = Integer.parseInt(part.substring(by + 1));
        if (thread < 0 || thread > 63 || turns < 1 || turns > MAX_TURNS - length) {
          throw new NumberFormatException("out of range");
        }
        schedule = Arrays.copyOf(schedule, Math.max(schedule.length, length + turns));
        Arrays.fill(schedule, length, length + turns, (byte) thread);
        length += turns;
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "schedule part \"" + part + "\" is not THREADxTURNS, threads 0 to 63", e);
      }
    }
    return Arrays.copyOf(schedule, length);
  }
}
