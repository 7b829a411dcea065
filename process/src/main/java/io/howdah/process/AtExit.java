package io.howdah.process;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;

/**
 * What is to be tidied up if the JVM is told to end (Ctrl-C) while a command runs, newest first. A
 * command that ends by itself closes its things and takes them off the list. Thread-safe.
 */
public final class AtExit {

  private static final Deque<AutoCloseable> PENDING = new ConcurrentLinkedDeque<>();
  private static volatile boolean ending;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(AtExit::tidy, "howdah-tidy"));
  }

  private AtExit() {}

  /** Puts something on the list, to be closed before all that is on it already. */
  public static <T extends AutoCloseable> T close(T resource) {
    PENDING.addFirst(resource);
    return resource;
  }

  /** Takes something off the list. */
  public static void forget(AutoCloseable resource) {
    PENDING.remove(resource);
  }

  /**
   * Does not return if the JVM is ending: what the caller sees then, such as a child process that
   * is gone, means nothing.
   */
  public static void blockIfEnding() {
    while (ending) {
      LockSupport.park();
    }
  }

  private static void tidy() {
    ending = true;
    for (AutoCloseable next = PENDING.poll(); next != null; next = PENDING.poll()) {
      try {
        next.close();
      } catch (Exception e) {
        System.err.println("howdah: " + e.getMessage());
      }
    }
  }
}
