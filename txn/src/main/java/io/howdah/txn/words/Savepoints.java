package io.howdah.txn.words;

import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import java.util.Arrays;

/**
 * Which savepoints an attempt can go back to: those it has taken, without those behind one that it
 * has gone back to. Their writes are gone, so going to one of them would bring back entries that
 * are not what they were. Not thread-safe.
 */
public final class Savepoints {

  private static final int FIRST = 8;
  private static final int KEPT = 1 << 12;

  /** By place: the number of the savepoint that is there. */
  private long[] numbers = new long[FIRST];

  private int count;

  /** The number given last; no two savepoints of the same words share one. */
  private long last;

  /** The attempt has none yet. Gives memory back that an unusual attempt before it needed. */
  public void clear() {
    count = 0;
    if (numbers.length > KEPT) {
      numbers = new long[FIRST];
    }
  }

  /** Returns the place of the next one. */
  public int count() {
    return count;
  }

  /** Adds one and returns its number. */
  public long add() {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = ++last;
    return last;
  }

  /** Returns whether the attempt can go back to the savepoint with a number that was at a place. */
  public boolean has(int place, long number) {
    return place < count && numbers[place] == number;
  }

  /** The attempt goes back to the one at a place, which stays. */
  public void rollBack(int place) {
    count = place + 1;
  }

  /**
   * What a roll-back has to know: how far each list of the attempt had come when the savepoint was
   * taken.
   */
  public static final class Taken implements Savepoint {

    private final Tx tx;
    private final long writes;
    private final int guards;
    private final long hooks;
    private final int openOperations;
    private final int newObjects;
    private final int place;
    private final long number;

    /**
     * Creates one.
     *
     * @param place among the savepoints of the attempt
     * @param number there
     */
    public Taken(
        Tx tx,
        long writes,
        int guards,
        long hooks,
        int openOperations,
        int newObjects,
        int place,
        long number) {
      this.tx = tx;
      this.place = place;
      this.number = number;
      this.writes = writes;
      this.guards = guards;
      this.hooks = hooks;
      this.openOperations = openOperations;
      this.newObjects = newObjects;
    }

    @SuppressWarnings("ReferenceEquality") // this very attempt is meant
    public boolean isOf(Tx other) {
      return tx == other;
    }

    public int place() {
      return place;
    }

    public long number() {
      return number;
    }

    public long writes() {
      return writes;
    }

    public int guards() {
      return guards;
    }

    public long hooks() {
      return hooks;
    }

    public int openOperations() {
      return openOperations;
    }

    public int newObjects() {
      return newObjects;
    }
  }
}
