package io.howdah.jmh.study;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** What a study has opened: closed in the opposite order. For one thread. */
final class OpenedResources implements AutoCloseable {

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** Notes a resource and returns it. */
  <T extends AutoCloseable> T add(T resource) {
    open.push(resource);
    return resource;
  }

  /** Closes all of them, also if one fails; the first failure is thrown at the end. */
  @Override
  public void close() throws IOException {
    Exception first = null;
    for (AutoCloseable one = open.poll(); one != null; one = open.poll()) {
      try {
        one.close();
      } catch (Exception e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    switch (first) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      default -> throw new IllegalStateException(first);
    }
  }
}
