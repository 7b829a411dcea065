package io.howdah.examples.jobqueue;

import io.howdah.examples.Check;
import io.howdah.txn.Durability;
import io.howdah.txn.PersistentCounter;
import io.howdah.txn.PersistentQueue;
import io.howdah.txn.Store;
import io.howdah.txn.codec.Codec;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;

/**
 * A producer puts jobs into a persistent queue, and two workers take them. Taking a job and noting
 * its result are one transaction: a worker that dies in between has not taken it.
 */
public final class JobQueue {

  private static final int JOBS = 2000;

  /** What is to be done. */
  public record Job(long number, String text) {}

  private JobQueue() {}

  /** Runs it in a folder. */
  public static void main(String[] args) throws InterruptedException {
    try (Store store = Store.open(Path.of(args[0], "jobs"))) {
      PersistentQueue<Job> queue =
          store.queue("jobs", Codec.record(MethodHandles.lookup(), Job.class));
      PersistentCounter done = store.counter("done");
      long before = store.read(done::get);
      Thread producer =
          new Thread(
              () -> {
                for (long i = 0; i < JOBS; i++) {
                  Job job = new Job(i, "job " + i);
                  store.run(Durability.ASYNC, tx -> queue.add(tx, job));
                }
              });
      producer.start();
      Thread[] workers = {worker(store, queue, done, before), worker(store, queue, done, before)};
      producer.join();
      for (Thread worker : workers) {
        worker.join();
      }
      long count = store.read(done::get) - before;
      Check.that(count == JOBS, count + " jobs were done");
      System.out.println(count + " jobs done, each once");
    }
  }

  private static Thread worker(
      Store store, PersistentQueue<Job> queue, PersistentCounter done, long before) {
    Thread worker =
        new Thread(
            () -> {
              while (store.read(Durability.ASYNC, done::get) - before < JOBS) {
                store.run(
                    Durability.ASYNC,
                    tx -> {
                      if (queue.poll(tx) != null) {
                        done.increment(tx);
                      }
                    });
              }
            });
    worker.start();
    return worker;
  }
}
