package io.howdah.testkit.disk;

import io.howdah.testkit.schedule.Mixer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a page held before it was first written in a {@link DirtyLayer}, which of its units were
 * written, and the values they passed through.
 */
final class DirtyPage {

  /** The page's first bytes in this layer; null stands for zeros. Never written through. */
  byte @Nullable [] before;

  /** Sequence number of the latest write, for enumerations in write order. */
  long sequence;

  private final int unitBytes;
  private final long[] touched;
  private byte @Nullable [][][] between;

  DirtyPage(byte @Nullable [] before, int unitBytes) {
    this.before = before;
    this.unitBytes = unitBytes;
    int units = Pages.PAGE_BYTES / unitBytes;
    touched = new long[(units + 63) >> 6];
  }

  DirtyPage(DirtyPage source) {
    before = source.before;
    sequence = source.sequence;
    unitBytes = source.unitBytes;
    touched = source.touched.clone();
    if (source.between != null) {
      between = source.between.clone();
    }
  }

  boolean isTouched(int unit) {
    return (touched[unit >> 6] & 1L << unit) != 0;
  }

  boolean hasBetween(int unit) {
    return between != null && between[unit] != null;
  }

  /**
   * Notes that a range of the page is about to change.
   *
   * @param now the page's bytes before the change
   * @param history how many values between the first and the last are kept for a unit
   */
  void touch(byte[] now, int from, int length, int history) {
    int first = from / unitBytes;
    int last = (from + length - 1) / unitBytes;
    for (int word = first >> 6; word <= last >> 6; word++) {
      long changed = -1L;
      if (word == first >> 6) {
        changed &= -1L << first;
      }
      if (word == last >> 6) {
        changed &= -1L >>> ~last;
      }
      for (long again = touched[word] & changed; again != 0; again &= again - 1) {
        int unit = (word << 6) + Long.numberOfTrailingZeros(again);
        addBetween(
            unit, Arrays.copyOfRange(now, unit * unitBytes, (unit + 1) * unitBytes), history);
      }
      touched[word] |= changed;
    }
  }

  /** Appends the values the unit had before its last one, oldest first. */
  void collect(int unit, List<byte[]> values) {
    values.add(valueBefore(unit));
    if (between != null && between[unit] != null) {
      values.addAll(Arrays.asList(between[unit]));
    }
  }

  /** Takes over the states of a unit from a later layer, so that all of them stay possible. */
  void absorb(int unit, DirtyPage later, int history) {
    if (isTouched(unit)) {
      addBetween(unit, later.valueBefore(unit), history);
    } else {
      touched[unit >> 6] |= 1L << unit;
      byte[] merged = before == null ? new byte[Pages.PAGE_BYTES] : before.clone();
      System.arraycopy(later.valueBefore(unit), 0, merged, unit * unitBytes, unitBytes);
      before = merged;
    }
    if (later.between != null && later.between[unit] != null) {
      for (byte[] value : later.between[unit]) {
        addBetween(unit, value, history);
      }
    }
    sequence = later.sequence;
  }

  /** Forgets a unit: its present value is the only one. */
  void settle(int unit) {
    touched[unit >> 6] &= ~(1L << unit);
    if (between != null) {
      between[unit] = null;
    }
  }

  int units() {
    return Pages.PAGE_BYTES / unitBytes;
  }

  private byte[] valueBefore(int unit) {
    return before == null
        ? new byte[unitBytes]
        : Arrays.copyOfRange(before, unit * unitBytes, (unit + 1) * unitBytes);
  }

  private void addBetween(int unit, byte[] value, int history) {
    if (history == 0) {
      return;
    }
    if (between == null) {
      between = new byte[units()][][];
    }
    byte[][] values = between[unit];
    if (values == null) {
      between[unit] = new byte[][] {value};
      return;
    }
    if (Arrays.equals(values[values.length - 1], value)) {
      return;
    }
    byte[][] longer;
    if (values.length < history) {
      longer = Arrays.copyOf(values, values.length + 1);
    } else {
      // A spread of what there was is worth more than only the latest values; any victim will do.
      int victim = (int) Long.remainderUnsigned(Mixer.mix(sequence), history);
      longer = values.clone();
      System.arraycopy(values, victim + 1, longer, victim, history - 1 - victim);
    }
    longer[longer.length - 1] = value;
    between[unit] = longer;
  }
}
