package io.howdah.testkit;

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
