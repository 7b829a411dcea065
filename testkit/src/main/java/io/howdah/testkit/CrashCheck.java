package io.howdah.testkit;

/** Opens what a crash left, and throws if a promise is broken. */
@FunctionalInterface
public interface CrashCheck {

  /**
   * Recovers and checks. It may change the disk, as recovery does, but nothing that another call
   * would see: it is called for many states of the disk, and dies itself in some.
   */
  void check(Machine machine) throws Exception;
}
