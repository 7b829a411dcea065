package io.howdah;

import java.util.concurrent.Executor;

/**
 * The user's executor, and a new virtual thread for every task that it refuses: nobody who waits
 * for a commit waits for ever because an executor is full or shut down. Thread-safe.
 */
final class ReliableExecutor implements Executor {

  private final Executor executor;

  ReliableExecutor(Executor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RuntimeException | Error refused) {
      Thread.ofVirtual().name("howdah-stage").start(task);
    }
  }
}
