package io.howdah.testkit.disk;

import io.howdah.testkit.schedule.SimulatedCrash;

/** One life of the program under test: everything it opened dies with it. */
final class Incarnation {

  private volatile boolean dead;

  void die() {
    dead = true;
  }

  boolean isDead() {
    return dead;
  }

  void checkAlive() {
    if (dead) {
      throw SimulatedCrash.again();
    }
  }
}
