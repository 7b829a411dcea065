package io.howdah.testkit.crash;

/**
 * Names one legal state of a disk after a power cut, among the {@code CrashStates} of that moment.
 * The same choice at the same moment of the same run gives the same bytes.
 *
 * @param seed what random parts follow from
 * @param index position in the enumeration, or one of the two extremes below
 */
public record CrashChoice(long seed, long index) {

  /** Everything unforced is lost. */
  public static final CrashChoice LOSE_ALL = new CrashChoice(0, -1);

  /** Nothing is lost: what a power cut leaves when the kernel had just written everything. */
  public static final CrashChoice KEEP_ALL = new CrashChoice(0, -2);

  /** Checks the index. */
  public CrashChoice {
    if (index < -2) {
      throw new IllegalArgumentException("index " + index + " is below -2");
    }
  }

  /** Returns the choice that {@link #toString} gave this text for. */
  public static CrashChoice parse(String text) {
    if (text.equals("lose")) {
      return LOSE_ALL;
    }
    if (text.equals("keep")) {
      return KEEP_ALL;
    }
    int dot = text.indexOf('.');
    if (dot < 0) {
      throw new IllegalArgumentException(
          "not a crash choice: \"" + text + "\"; expected seed.index in hexadecimal, lose or keep");
    }
    return new CrashChoice(
        Long.parseUnsignedLong(text, 0, dot, 16),
        Long.parseUnsignedLong(text, dot + 1, text.length(), 16));
  }

  /**
   * Returns a short text for replays: seed and index in hexadecimal, {@code lose} or {@code keep}.
   */
  @Override
  public String toString() {
    if (equals(LOSE_ALL)) {
      return "lose";
    }
    if (equals(KEEP_ALL)) {
      return "keep";
    }
    return Long.toHexString(seed) + "." + Long.toHexString(index);
  }
}
