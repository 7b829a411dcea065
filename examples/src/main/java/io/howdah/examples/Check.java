package io.howdah.examples;

/** How an example says that it went wrong: the JVM then ends with exit code 1. */
public final class Check {

  private Check() {}

  /** Goes on if {@code holds}, and else ends the example. */
  public static void that(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
