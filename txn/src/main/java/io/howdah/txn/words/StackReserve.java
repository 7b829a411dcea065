package io.howdah.txn.words;

import java.lang.invoke.MethodHandles;
import java.util.Base64;

/**
 * Checks before a commit that enough stack is left for it. An overflow in the critical part of a
 * commit would stop the store. With this check, an unbounded recursion of the program that runs
 * transactions overflows here, where the overflow does no harm.
 *
 * <p>The reserve is one large frame, of a method with 1,024 local variables. When HotSpot enters a
 * method with a frame of more than a page, it touches the whole frame. A compiled method touches as
 * much as its frames would take in the interpreter, frames of inlined methods included. So the
 * reserve costs one store for each of its four pages in compiled code. {@code StackEndTest}
 * verifies this for the interpreter and both compilers. A recursion of small frames would not work:
 * once compiled, they are smaller than the frames of a commit.
 *
 * <p>The class of this method is generated. {@code StackReserveTest} contains the generator and
 * verifies the constant below. The bytes are a constant because the generator ({@code
 * java.lang.classfile}) takes 10 to 60 ms in a new JVM, which would delay the first transaction of
 * each program.
 *
 * <p>The JVM does not guarantee this behaviour. A commit that overflows in spite of the reserve
 * still ends safely (docs/protocol.md, R6).
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

  /** Always 0. It is not final, so that the compilers do not treat it as a constant. */
  private static int more;

  private StackReserve() {}

  /** A method with a large frame. */
  interface Frame {

    /**
     * Touches the frame and returns.
     *
     * @param again 0. With any other value the method would call itself without end; this call in
     *     its code makes the compilers reserve space for an interpreter frame
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
   * Defines the class of the large frame. The opening of a store calls this method, because the
   * definition needs more stack than a transaction may have left, and a class whose initializer has
   * failed stays unusable.
   */
  public static void prepare() {
    // The call runs the initializer of this class.
  }

  /** Throws {@link StackOverflowError} if the stack has no room for a commit. */
  public static void require() {
    FRAME.touch(more);
  }
}
