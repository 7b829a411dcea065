package io.howdah.examples.jobqueue;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.examples.Check;
import io.howdah.examples.ChildProcess;
import io.howdah.txn.TxOptions;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.stream.LongStream;

/**
 * Jobs wait in a queue, workers take them. Taking a job and storing its result is one transaction,
 * so a job is done exactly once, however often the workers' process is killed.
 */
public final class JobQueue {

  private static final int JOBS = 4_000;
  private static final int WORKERS = 4;

  /** What is to be done: counting the primes from one number to another. */
  record Job(long id, int from, int to) {}

  private final Store store;
  private final PersistentQueue<Job> jobs;
  private final PersistentMap<Long, Long> results;

  private JobQueue(String folder) {
    store = Store.open(Path.of(folder));
    jobs = store.queue("jobs", Codecs.of(MethodHandles.lookup(), Job.class));
    results = store.map("results", Codec.int64(), Codec.int64());
  }

  /** Fills the queue and has workers empty it, who are killed until nothing is left. */
  public static void main(String[] args) throws Exception {
    JobQueue queue = new JobQueue(args[0]);
    queue.fill();
    queue.store.close();
    for (int life = 1; ; life++) {
      boolean isDone;
      try (ChildProcess workers = ChildProcess.start(Workers.class, args[0])) {
        isDone = !workers.runsFor(400 + 200 * life);
        workers.kill();
      }
      queue = new JobQueue(args[0]);
      try (Store _ = queue.store) {
        long waiting = queue.store.read(queue.jobs::size);
        long done = queue.store.read(queue.results::size);
        System.out.printf("life %d: %,d jobs wait, %,d are done%n", life, waiting, done);
        Check.that(waiting + done == JOBS, "a job is lost, or done twice");
        if (waiting == 0) {
          queue.requireRightResults();
          System.out.printf(
              "all %,d jobs done once, with %d kills%n", JOBS, life - (isDone ? 1 : 0));
          return;
        }
      }
      Check.that(life < 60, "the workers do not come to an end");
    }
  }

  private void fill() {
    for (int first = 0; first < JOBS; first += 1000) {
      int start = first;
      store.run(
          TxOptions.async(),
          tx -> {
            for (int id = start; id < start + 1000; id++) {
              jobs.add(tx, new Job(id, id, id + 100));
            }
          });
    }
  }

  /** Does one job; returns false if none was left. */
  private boolean work() {
    return store.call(
        TxOptions.async(),
        tx -> {
          Job job = jobs.poll(tx);
          if (job == null) {
            return false;
          }
          Check.that(!results.containsKey(tx, job.id()), "a job came twice");
          results.put(tx, job.id(), primes(job));
          return true;
        });
  }

  private static long primes(Job job) {
    return LongStream.range(job.from(), job.to()).filter(JobQueue::isPrime).count();
  }

  private static boolean isPrime(long n) {
    return n > 1
        && LongStream.rangeClosed(2, (long) Math.sqrt((double) n)).noneMatch(d -> n % d == 0);
  }

  private void requireRightResults() {
    store.run(
        TxOptions.defaults().withReadOnly(),
        tx -> {
          for (long id = 0; id < JOBS; id++) {
            Long result = results.get(tx, id);
            Check.that(
                result != null && result == primes(new Job(id, (int) id, (int) id + 100)),
                "job " + id + " has result " + result);
          }
        });
  }

  /** The process that is killed. */
  static final class Workers {

    private Workers() {}

    public static void main(String[] args) throws InterruptedException {
      JobQueue queue = new JobQueue(args[0]);
      Thread[] workers = new Thread[WORKERS];
      for (int i = 0; i < WORKERS; i++) {
        workers[i] =
            Thread.ofVirtual()
                .start(
                    () -> {
                      while (queue.work()) {
                        // One more.
                      }
                    });
      }
      for (Thread worker : workers) {
        worker.join();
      }
      queue.store.close();
    }
  }
}
