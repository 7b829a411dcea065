package io.howdah.jcache;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Checks of arguments, as JSR 107 has them: null is no key, no value and no argument. */
final class Checks {

  private Checks() {}

  static <T> T nonNull(@Nullable T argument, String name) {
    if (argument == null) {
      throw new NullPointerException(name + " is null");
    }
    return argument;
  }

  /** Refuses a collection that is null or has null. */
  static void noNulls(@Nullable Collection<?> arguments, String name) {
    for (Object each : nonNull(arguments, name)) {
      Object _ = nonNull(each, "one of the " + name);
    }
  }
}
