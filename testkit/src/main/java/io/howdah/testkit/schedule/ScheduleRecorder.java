package io.howdah.testkit.schedule;

import java.util.Arrays;

/** Who ran for how many steps. */
final class ScheduleRecorder {

  private int[] slots = new int[256];
  private long[] lengths = new long[256];
  private int count;

  void chosen(int slot) {
    if (count > 0 && slots[count - 1] == slot) {
      lengths[count - 1]++;
      return;
    }
    if (count == SimulatedExecution.RECORDED_SWITCHES) {
      return;
    }
    if (count == slots.length) {
      slots = Arrays.copyOf(slots, count * 2);
      lengths = Arrays.copyOf(lengths, count * 2);
    }
    slots[count] = slot;
    lengths[count++] = 1;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : ",").append(slots[i]);
      if (lengths[i] > 1) {
        text.append('x').append(lengths[i]);
      }
    }
    return text.toString();
  }
}
