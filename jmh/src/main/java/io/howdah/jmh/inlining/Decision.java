package io.howdah.jmh.inlining;

/**
 * What the compiler decided at one place where a method calls another.
 *
 * @param unit method that was compiled, as {@code Class.method}; all that is inlined is part of it
 * @param caller of the place, in the same form
 * @param callee in the same form
 * @param isInlined whether the callee became a part of the unit
 * @param reason in the words of the JVM
 */
public record Decision(
    String unit, String caller, String callee, boolean isInlined, String reason) {

  /**
   * Returns whether the callee stayed a call because the place was hardly ever reached. Such a call
   * costs nothing, and says nothing about the callee.
   */
  boolean isRarelyReached() {
    return !isInlined
        && (reason.contains("low call site frequency")
            || reason.contains("never executed")
            || reason.contains("too cold")
            || reason.contains("unloaded"));
  }
}
