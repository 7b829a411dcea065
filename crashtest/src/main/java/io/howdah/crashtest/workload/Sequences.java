package io.howdah.crashtest.workload;

import io.howdah.testkit.schedule.Mixer;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Sequences of steps, by number: all of a length, or one. The last step of all changes fastest, so
 * neighbours begin alike. Immutable.
 */
public final class Sequences {

  private static final int MAX_LENGTH = 8;

  private static final List<Step> STEPS = List.of(Step.values());

  /** The steps of the one sequence; empty if these are all sequences of a length. */
  private final List<Step> only;

  private final int length;

  /** Sequence n is the one with the number n * stride + offset, modulo their count. */
  private final BigInteger stride;

  private final BigInteger offset;

  private Sequences(List<Step> only, int length, BigInteger stride, BigInteger offset) {
    if (length < 1 || length > MAX_LENGTH) {
      throw new IllegalArgumentException("length must be 1 to " + MAX_LENGTH + ": " + length);
    }
    this.only = only;
    this.length = length;
    this.stride = stride;
    this.offset = offset;
  }

  /**
   * Returns all sequences of a length, in their order.
   *
   * @param length 1 to 8
   * @throws IllegalArgumentException if it is another
   */
  public static Sequences all(int length) {
    return new Sequences(List.of(), length, BigInteger.ONE, BigInteger.ZERO);
  }

  /**
   * Returns all sequences of a length in an order that follows from a seed, so that the first ones
   * are a sample of all.
   *
   * @throws IllegalArgumentException if the length is not 1 to 8
   */
  public static Sequences shuffled(int length, long seed) {
    long count = all(length).count();
    // A stride that has no divisor in common with the count comes by all of them.
    BigInteger stride = BigInteger.valueOf(Long.remainderUnsigned(Mixer.mix(seed, 4), count) | 1);
    while (!stride.gcd(BigInteger.valueOf(count)).equals(BigInteger.ONE)) {
      stride = stride.add(BigInteger.TWO);
    }
    BigInteger offset = BigInteger.valueOf(Long.remainderUnsigned(seed, count));
    return new Sequences(List.of(), length, stride, offset);
  }

  /**
   * Returns one sequence.
   *
   * @param text as {@link #text} returns it
   * @throws IllegalArgumentException if it names a step that there is not, or more than 8
   */
  public static Sequences only(String text) {
    List<Step> steps = Arrays.stream(text.split(",", -1)).map(Step::named).toList();
    return new Sequences(steps, steps.size(), BigInteger.ONE, BigInteger.ZERO);
  }

  /** Returns how many kinds of steps there are. */
  public static int kinds() {
    return STEPS.size();
  }

  /** Returns how many steps each has. */
  public int length() {
    return length;
  }

  /** Returns how many sequences there are. */
  public long count() {
    return only.isEmpty() ? power(length) : 1;
  }

  private static long power(int exponent) {
    long count = 1;
    for (int i = 0; i < exponent; i++) {
      count *= kinds();
    }
    return count;
  }

  /**
   * Returns a sequence as text: its steps, with commas between.
   *
   * @param index 0 to count - 1
   */
  public String text(long index) {
    return text(steps(index));
  }

  static String text(List<Step> steps) {
    return steps.stream().map(Step::text).collect(Collectors.joining(","));
  }

  /** Returns whether this is one sequence that was named, and no others are looked at. */
  boolean isOne() {
    return !only.isEmpty();
  }

  /**
   * Returns how many sequences whose numbers follow each other begin alike, if they are not
   * shuffled. Single steps begin with nothing.
   */
  long neighbours() {
    return isOne() || length == 1 ? 1 : kinds();
  }

  /** Returns a number that those sequences share that differ in the last step alone. */
  long prefix(long index) {
    return number(index) / kinds();
  }

  /** Returns whether crashes before the last step are those of another sequence. */
  boolean isLikeAnother(long index) {
    return !isOne() && number(index) % kinds() != 0;
  }

  List<Step> steps(long index) {
    if (isOne()) {
      return only;
    }
    List<Step> steps = new ArrayList<>();
    long rest = number(index);
    for (int i = 0; i < length; i++) {
      steps.addFirst(STEPS.get((int) (rest % kinds())));
      rest /= kinds();
    }
    return steps;
  }

  /** Returns a sequence as the number whose digits are its steps. */
  private long number(long index) {
    if (isOne()) {
      return 0;
    }
    // The product of two numbers below 20^8 does not fit into a long.
    BigInteger number = BigInteger.valueOf(index).multiply(stride).add(offset);
    return number.mod(BigInteger.valueOf(count())).longValueExact();
  }
}
