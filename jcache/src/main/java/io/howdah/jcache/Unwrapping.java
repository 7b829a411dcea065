package io.howdah.jcache;

/** The answers of {@code unwrap}. */
final class Unwrapping {

  private Unwrapping() {}

  /**
   * Returns the first of some objects that is of a type.
   *
   * @throws IllegalArgumentException if there is none
   */
  static <T> T unwrap(Class<T> type, Object... candidates) {
    for (Object candidate : candidates) {
      if (type.isInstance(candidate)) {
        return type.cast(candidate);
      }
    }
    throw new IllegalArgumentException(
        candidates[0].getClass().getName() + " cannot be unwrapped as " + type.getName());
  }
}
