package io.howdah.nvmsim.steps;

/** A value that a step computes from the program's variables. Reads no memory. */
public sealed interface Term {
  /** The value, given the variables. */
  long value(long[] variables);

  /** A constant. */
  static Term of(long value) {
    return new Constant(value);
  }

  /** This and a constant. */
  default Term plus(long amount) {
    return amount == 0 ? this : new Sum(this, amount);
  }

  /** This less another. */
  default Term minus(Term other) {
    return new Difference(this, other);
  }

  /** A constant. */
  record Constant(long value) implements Term {
    @Override
    public long value(long[] variables) {
      return value;
    }

    @Override
    public Term plus(long amount) {
      return new Constant(value + amount);
    }
  }

  /** A variable of the program; {@link Steps} hands them out. */
  record Variable(int index) implements Term {
    @Override
    public long value(long[] variables) {
      return variables[index];
    }
  }

  /** A term and a constant. */
  record Sum(Term term, long amount) implements Term {
    @Override
    public long value(long[] variables) {
      return term.value(variables) + amount;
    }
  }

  /** The difference of two terms. */
  record Difference(Term from, Term less) implements Term {
    @Override
    public long value(long[] variables) {
      return from.value(variables) - less.value(variables);
    }
  }

  /** The element of an array that a term selects: {@code base + index * stride}. */
  record Element(long base, Term index, long stride) implements Term {
    @Override
    public long value(long[] variables) {
      return base + index.value(variables) * stride;
    }
  }

  /**
   * The element of a ring at a position that only grows: {@code base + position % length / unit *
   * stride}.
   *
   * @param base where the ring begins
   * @param position counts bytes
   * @param length bytes of the ring
   * @param unit bytes of position that one element takes
   * @param stride bytes of memory that one element takes
   */
  record RingElement(long base, Term position, long length, long unit, long stride)
      implements Term {
    @Override
    public long value(long[] variables) {
      long inRing = position.value(variables) % length;
      return unit == stride ? base + inRing : base + inRing / unit * stride;
    }
  }

  /**
   * A value that is a function of thread and operation.
   *
   * @param function computes it
   * @param index passed to the function
   */
  record Content(Function function, int index) implements Term {
    /** What a thread writes in an operation. */
    @FunctionalInterface
    public interface Function {
      long value(long thread, long operation, int index);
    }

    @Override
    public long value(long[] variables) {
      return function.value(variables[Steps.THREAD], variables[Steps.OPERATION], index);
    }
  }
}
