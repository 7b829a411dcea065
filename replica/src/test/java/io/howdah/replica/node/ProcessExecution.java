package io.howdah.replica.node;

import io.howdah.core.Execution;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.testkit.schedule.SimulatedExecution;

/**
 * A part of a simulated execution that dies alone: a process among others. After {@link #kill} each
 * call throws {@link SimulatedCrash}, and a thread that was started here ends with it.
 */
final class ProcessExecution implements Execution {

  private final SimulatedExecution execution;
  private boolean isDead;

  ProcessExecution(SimulatedExecution execution) {
    this.execution = execution;
  }

  void kill() {
    isDead = true;
  }

  private SimulatedExecution alive() {
    if (isDead) {
      throw SimulatedCrash.again();
    }
    return execution;
  }

  /** Lets a thread go on after a call in which it may have died. */
  private void failIfDead() {
    SimulatedExecution _ = alive();
  }

  @Override
  public long nanoTime() {
    return alive().nanoTime();
  }

  @Override
  public long wallClockMillis() {
    return alive().wallClockMillis();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    alive().parkNanos(blocker, nanos);
    failIfDead();
  }

  @Override
  public void unpark(Thread thread) {
    alive().unpark(thread);
  }

  @Override
  public void spinWait() {
    alive().spinWait();
    failIfDead();
  }

  @Override
  public void yieldNow() {
    alive().yieldNow();
    failIfDead();
  }

  @Override
  @SuppressWarnings("EmptyCatch") // said below
  public Thread start(String name, Runnable body) {
    return alive()
        .start(
            name,
            () -> {
              try {
                body.run();
              } catch (SimulatedCrash e) {
                if (!isDead) {
                  throw e;
                }
                // The thread has died with its process, and the others go on.
              }
            });
  }

  @Override
  public long threadNumber() {
    return execution.threadNumber();
  }

  @Override
  public long randomLong() {
    return alive().randomLong();
  }

  @Override
  public int availableProcessors() {
    return execution.availableProcessors();
  }
}
