package io.howdah.cli.serve;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/**
 * Signals of the operating system. The class of the JDK that handles them is not part of its API;
 * it is looked up by name, and where it is missing, the JVM's own reaction stays: it ends the
 * process, and the next start recovers.
 */
final class StopSignals {

  private StopSignals() {}

  /**
   * Has a signal call a function, on a thread of its own.
   *
   * @param name without SIG, for example TERM
   * @return whether the JVM lets go of the signal
   */
  @SuppressWarnings("ReferenceEquality") // what equals of a proxy has to mean
  static boolean handle(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      // Not a method handle's proxy: its class would be made anew at each start.
      Object proxy =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) ->
                  switch (method.getName()) {
                    case "handle" -> {
                      action.run();
                      yield null;
                    }
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> "handler of SIG" + name;
                  });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
      return true;
    } catch (ReflectiveOperationException _) {
      return false;
    }
  }

  /** Returns what opens when the first of the signals that stop a server arrives. */
  static CountDownLatch stop() {
    CountDownLatch stopped = new CountDownLatch(1);
    for (String name : new String[] {"INT", "TERM", "USR1"}) {
      boolean _ = handle(name, stopped::countDown);
    }
    return stopped;
  }
}
