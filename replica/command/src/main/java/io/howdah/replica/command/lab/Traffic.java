package io.howdah.replica.command.lab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients: four that add to counters, two that ask any member for the newest state, and one for
 * each member that reads what it has. Clients reach the members whatever the network between these
 * does.
 */
final class Traffic implements AutoCloseable {

  static final int COUNTERS = 4;

  private static final int WRITERS = 4;
  private static final int READERS = 2;

  /** Longer than a commit takes on a busy machine, shorter than an election. */
  private static final int TIMEOUT_MILLIS = 1000;

  private static final long RETRY_NANOS = 10_000_000;

  /** Between two calls, so that the members have the processors. */
  private static final long ADD_NANOS = 2_000_000;

  private static final long READ_NANOS = 5_000_000;

  private final Group group;
  private final Ledger ledger;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isOver;

  Traffic(Group group, Ledger ledger, long seed) {
    this.group = group;
    this.ledger = ledger;
    for (int i = 0; i < WRITERS; i++) {
      int number = i;
      start(client -> write(client, number, new SplittableRandom(seed + number)));
    }
    for (int i = 0; i < READERS; i++) {
      long number = (long) WRITERS + i;
      start(client -> readNewest(client, new SplittableRandom(seed + number)));
    }
    for (int i = 0; i < Group.NAMES.size(); i++) {
      int member = i;
      start(client -> readLocally(client, member, new SplittableRandom(seed - member)));
    }
  }

  private interface Work {
    void run(MemberClient client);
  }

  private void start(Work work) {
    threads.add(
        Thread.ofPlatform()
            .daemon()
            .name("client-" + threads.size())
            .start(
                () -> {
                  try (MemberClient client = new MemberClient(group, TIMEOUT_MILLIS)) {
                    work.run(client);
                  } catch (RuntimeException e) {
                    ledger.broken("a client has failed: " + e);
                  }
                }));
  }

  private void write(MemberClient client, int number, SplittableRandom random) {
    int member = random.nextInt(Group.NAMES.size());
    for (long sequence = 1; !isOver; sequence++) {
      int counter = random.nextInt(COUNTERS);
      long operation = ((long) number + 1) << 40 | sequence;
      long least = ledger.beginAdd(counter);
      MemberClient.Answer answer = client.ask(member, "add " + (counter + 1) + " " + operation);
      if (answer.is("ok")) {
        ledger.acknowledged(counter, least, answer.number(), operation, Group.NAMES.get(member));
        LockSupport.parkNanos(ADD_NANOS);
        continue;
      }
      if (answer.is("no") || !answer.isSent()) {
        ledger.refused(counter);
      } else {
        ledger.unknown();
      }
      int leader = answer.is("no") ? Group.NAMES.indexOf(answer.words().get(1)) : -1;
      member = leader >= 0 && leader != member ? leader : random.nextInt(Group.NAMES.size());
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  private void readNewest(MemberClient client, SplittableRandom random) {
    while (!isOver) {
      int member = random.nextInt(Group.NAMES.size());
      int counter = random.nextInt(COUNTERS);
      long least = ledger.beginRead(counter);
      MemberClient.Answer answer = client.ask(member, "newest " + (counter + 1));
      if (answer.is("ok")) {
        ledger.read(counter, least, answer.number(), Group.NAMES.get(member));
      }
      LockSupport.parkNanos(answer.is("ok") ? READ_NANOS : RETRY_NANOS);
    }
  }

  private void readLocally(MemberClient client, int member, SplittableRandom random) {
    long[] before = new long[COUNTERS];
    int process = 0;
    while (!isOver) {
      int counter = random.nextInt(COUNTERS);
      MemberClient.Answer answer = client.ask(member, "local " + (counter + 1));
      if (answer.process() != process) {
        process = answer.process(); // another one may be behind
        Arrays.fill(before, 0);
      }
      if (answer.is("ok")) {
        long value = answer.number();
        ledger.readLocally(counter, before[counter], value, Group.NAMES.get(member));
        before[counter] = Math.max(before[counter], value);
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  /** Ends the clients, once their last calls have. */
  @Override
  public void close() {
    isOver = true;
    for (Thread thread : threads) {
      join(thread);
    }
  }

  /** Waits for the end of a thread; an interrupt ends the wait, and stays set. */
  static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
