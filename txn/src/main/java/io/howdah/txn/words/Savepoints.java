package io.howdah.txn.words;

import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import java.util.Arrays;

/**
 * The valid savepoints of an attempt. A roll-back to a savepoint invalidates all later savepoints,
 * because it removes the writes that they refer to. Not thread-safe.
 */
public final class Savepoints {

  private static final int FIRST = 8;
  private static final int KEPT = 1 << 12;

  /** The savepoint's number at each place. */
  private long[] numbers = new long[FIRST];

  private int count;

  /** The number assigned last. Numbers are unique among the savepoints of one {@link Words}. */
  private long last;

  /** Removes all savepoints. Frees memory that an attempt with unusually many needed. */
  public void clear() {
    count = 0;
    if (numbers.length > KEPT) {
      numbers = new long[FIRST];
    }
  }

  /** Returns the number of valid savepoints, which is the place of the next one. */
  public int count() {
    return count;
  }

  /** Adds a savepoint and returns its number. */
  public long add() {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = ++last;
    return last;
  }

  /** Returns whether the savepoint with this number at this place is valid. */
  public boolean has(int place, long number) {
    return place < count && numbers[place] == number;
  }

  /** Removes the savepoints after the one at a place. */
  public void rollBack(int place) {
    count = place + 1;
  }

  /** The state of an attempt at a savepoint: the position in each of its lists, for a roll-back. */
  public static final class State implements Savepoint {

    private final Tx tx;
    private final long writes;
    private final int guards;
    private final long nodes;
    private final long hooks;
    private final int openOperations;
    private final int newObjects;
    private final int place;
    private final long number;

    /**
     * Creates a savepoint.
     *
     * @param place the place among the savepoints of the attempt
     * @param number the savepoint's number
     */
    public State(
        Tx tx,
        long writes,
        int guards,
        long nodes,
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
      this.nodes = nodes;
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

    public long nodes() {
      return nodes;
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
