package io.howdah.collections;

import io.howdah.testkit.schedule.SystemThreads;

/** The system's threads, of which the one that reclaims expired entries does nothing. */
final class NoReclaiming extends SystemThreads {

  @Override
  public Thread start(String name, Runnable body) {
    return name.equals("howdah-expiry") ? new Thread(body) : system.start(name, body);
  }
}
