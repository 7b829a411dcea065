package io.howdah.txn.words;

import java.lang.invoke.MethodHandles;
import java.util.Base64;

/**
 * Makes sure that a transaction does not run out of stack in its commit, where that stops the
 * store: a runaway recursion that happens to run transactions overflows here instead.
 *
 * <p>The reserve is one large frame, of a method with 1,024 local variables. When HotSpot enters a
 * method with a frame of more than a page, it touches the whole frame. A compiled method touches as
 * much as its frames would take in the interpreter, frames of inlined methods included. So the
 * reserve costs one store for each of its four pages in compiled code. {@code StackEndTest}
 * verifies this for the interpreter and both compilers. A recursion of small frames would not work:
 * once compiled, they are smaller than the frames of a commit.
 *
 * <p>No source has a method with so many variables: its class is generated. {@code
 * StackReserveTest} has the generator and compares. The bytes are a constant here because the
 * generator ({@code java.lang.classfile}) takes a new JVM 10 to 60 ms, which each program would
 * spend on its first transaction.
 *
 * <p>The JVM guarantees none of this. A commit that overflows in spite of the reserve still ends
 * safely.
 */
public final class StackReserve {

  /** The class of {@link #FRAME}, in Base64. */
  static final String GENERATED =
      "yv66vgAAAEUAEQEAJWlvL2hvd2RhaC90eG4vd29yZHMvU3RhY2tSZXNlcnZlRnJhbWUHAAEBAAY8"
          + "aW5pdD4BAAMoKVYBABBqYXZhL2xhbmcvT2JqZWN0BwAFDAADAAQKAAYABwEABXRvdWNoAQAEKEkp"
          + "VgwACQAKCgACAAsBACZpby9ob3dkYWgvdHhuL3dvcmRzL1N0YWNrUmVzZXJ2ZSRGcmFtZQcADQEA"
          + "BENvZGUBAA1TdGFja01hcFRhYmxlADAAAgAGAAEADgAAAAIAAAADAAQAAQAPAAAAEQABAAEAAAAF"
          + "KrcACLEAAAAAABEACQAKAAEADwAAACQAAggCAAAADxuZAAgqG7YADAnENwgAsQAAAAEAEAAAAAMA"
          + "AQkAAA==";

  private static final Frame FRAME = define();

  /** Always 0, which the compilers do not know. */
  private static int more;

  private StackReserve() {}

  /** A method with a large frame. */
  interface Frame {

    /**
     * Returns at once.
     *
     * @param again 0; else it calls itself without end, which makes the compilers keep a frame for
     *     the interpreter
     */
    void touch(int again);
  }

  private static Frame define() {
    try {
      Class<?> generated =
          MethodHandles.lookup().defineClass(Base64.getDecoder().decode(GENERATED));
      return (Frame) generated.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Defines the large frame, which needs more stack than a transaction may have left: an opening
   * calls it. A class whose initializer has failed cannot be used again.
   */
  public static void prepare() {
    // Runs the initializer.
  }

  /** Throws {@link StackOverflowError} if the stack has no room for a commit. */
  public static void require() {
    FRAME.touch(more);
  }
}
