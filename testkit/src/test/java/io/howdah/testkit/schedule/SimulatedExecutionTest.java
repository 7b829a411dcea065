package io.howdah.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.Bytes;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SimulatedExecutionTest {

  private static final long HOUR = 3_600_000_000_000L;

  @AfterEach
  void noThreadIsLeft() {
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> SimulatedThread.GROUP.equals(thread.getThreadGroup()));
  }

  /** Two threads that each add 1 to a word, five times. Returns the sum, and what the run said. */
  private static long increments(
      Schedule schedule, boolean atomically, List<SimulationOutcome> outcomes) {
    return increments(SimulatedExecution.with(schedule), atomically, outcomes);
  }

  private static long increments(
      SimulatedExecution execution, boolean atomically, List<SimulationOutcome> outcomes) {
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    Region words = disk.storage().allocate(64);
    outcomes.add(
        execution.run(
            () -> {
              Thread[] threads = new Thread[2];
              for (int t = 0; t < 2; t++) {
                threads[t] =
                    execution.spawn(
                        "adder" + t,
                        () -> {
                          for (int i = 0; i < 5; i++) {
                            if (atomically) {
                              words.getAndAddLong(0, 1);
                            } else {
                              words.setLongVolatile(0, words.getLongVolatile(0) + 1);
                            }
                          }
                        });
              }
              for (Thread thread : threads) {
                execution.join(thread);
              }
            }));
    return words.getLong(0);
  }

  @Test
  void randomSchedulesLoseUpdatesThatAreNotAtomic() {
    Set<Long> sums = new HashSet<>();
    Set<Long> atomicSums = new HashSet<>();
    for (int seed = 0; seed < 50; seed++) {
      sums.add(increments(Schedule.random(seed, 2), false, new ArrayList<>()));
      atomicSums.add(increments(Schedule.random(seed, 2), true, new ArrayList<>()));
    }
    assertThat(sums).hasSizeGreaterThan(3);
    assertThat(atomicSums).containsExactly(10L);
  }

  @Test
  void aRunIsAFunctionOfItsSchedule() {
    List<SimulationOutcome> outcomes = new ArrayList<>();
    for (int seed : new int[] {5, 5, 6}) {
      increments(Schedule.random(seed, 3), false, outcomes);
    }
    assertThat(outcomes.get(0)).isEqualTo(outcomes.get(1));
    assertThat(outcomes.get(0).traceHash()).isNotEqualTo(outcomes.get(2).traceHash());
  }

  @Test
  void virtualThreadsRunAsOthersDo() {
    for (int seed = 0; seed < 5; seed++) {
      List<SimulationOutcome> outcomes = new ArrayList<>();
      long sum = increments(Schedule.random(seed, 2), false, outcomes);
      SimulatedExecution virtual =
          SimulatedExecution.builder(Schedule.random(seed, 2)).virtualThreads().build();
      assertThat(increments(virtual, false, outcomes)).isEqualTo(sum);
      assertThat(outcomes.get(1)).isEqualTo(outcomes.get(0));
    }
  }

  @Test
  void aRecordedScheduleIsReplayed() {
    for (Schedule schedule :
        List.of(Schedule.random(8, 2), Schedule.pct(8, 3, 50), Schedule.roundRobin(1))) {
      List<SimulationOutcome> outcomes = new ArrayList<>();
      long sum = increments(schedule, false, outcomes);
      String recorded = outcomes.getFirst().schedule();
      assertThat(increments(Schedule.replay(recorded), false, outcomes)).isEqualTo(sum);
      assertThat(outcomes.get(1)).isEqualTo(outcomes.get(0));
    }
  }

  @Test
  void aReplayThatDoesNotFitSaysSo() {
    assertThatThrownBy(() -> increments(Schedule.replay("0x3,7"), false, new ArrayList<>()))
        .hasMessageContaining("recorded schedule wants thread 7");
    assertThatThrownBy(() -> increments(Schedule.replay("0x3"), false, new ArrayList<>()))
        .hasMessageContaining("recorded schedule is over");
  }

  @Test
  void roundRobinAtEveryStepLosesUpdates() {
    assertThat(increments(Schedule.roundRobin(1), false, new ArrayList<>())).isLessThan(10);
    assertThat(increments(Schedule.roundRobin(1000), false, new ArrayList<>())).isEqualTo(10);
  }

  @Test
  void pctNeedsDepthTwoForALostUpdate() {
    int[] lost = new int[3];
    for (int depth = 1; depth <= 2; depth++) {
      for (int seed = 0; seed < 100; seed++) {
        if (increments(Schedule.pct(seed, depth, 40), false, new ArrayList<>()) < 10) {
          lost[depth]++;
        }
      }
    }
    assertThat(lost[1]).isZero();
    assertThat(lost[2]).isPositive();
  }

  @Test
  void everyScheduleOfASmallCaseIsTried() {
    for (int preemptions = 0; preemptions <= 2; preemptions++) {
      Set<Long> sums = new HashSet<>();
      Set<String> seen = new HashSet<>();
      ExhaustiveSchedule schedules = new ExhaustiveSchedule(preemptions);
      do {
        List<SimulationOutcome> outcomes = new ArrayList<>();
        sums.add(increments(schedules, false, outcomes));
        seen.add(outcomes.getFirst().schedule());
      } while (schedules.next());
      // No schedule comes twice.
      assertThat(seen).hasSize((int) schedules.runs());
      // A thread that is preempted between its load and its store undoes all that the other did
      // meanwhile, which is everything, unless that one is preempted too.
      switch (preemptions) {
        case 0 -> assertThat(sums).containsExactly(10L);
        case 1 -> assertThat(sums).containsExactlyInAnyOrder(5L, 10L);
        default -> assertThat(sums).containsExactlyInAnyOrder(5L, 6L, 7L, 8L, 9L, 10L);
      }
    }
  }

  @Test
  void parkedThreadsLetTimePass() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(3, 4)).spuriousOneIn(0).build();
    List<String> order = new ArrayList<>();
    long before = System.nanoTime();
    execution.run(
        () -> {
          List<Thread> threads = new ArrayList<>();
          for (int hours : new int[] {3, 1, 2}) {
            threads.add(
                execution.spawn(
                    "sleeper",
                    () -> {
                      long begun = execution.nanoTime();
                      execution.parkNanos(order, hours * HOUR);
                      assertThat(execution.nanoTime() - begun)
                          .isBetween(hours * HOUR, hours * HOUR + 1_000_000);
                      order.add(hours + "h");
                    }));
          }
          threads.forEach(execution::join);
        });
    assertThat(order).containsExactly("1h", "2h", "3h");
    assertThat(System.nanoTime() - before).isLessThan(20_000_000_000L);
  }

  @Test
  void parksEndEarlyNowAndThen() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.roundRobin(1)).spuriousOneIn(4).build();
    int[] early = new int[1];
    execution.run(
        () -> {
          for (int i = 0; i < 100; i++) {
            long begun = execution.nanoTime();
            execution.parkNanos(early, HOUR);
            early[0] += execution.nanoTime() - begun < HOUR ? 1 : 0;
          }
        });
    assertThat(early[0]).isBetween(5, 60);
  }

  @Test
  void unparkIsKeptForTheNextPark() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.roundRobin(1)).spuriousOneIn(0).build();
    execution.run(
        () -> {
          long begun = execution.nanoTime();
          execution.unpark(Thread.currentThread());
          execution.parkNanos(execution, HOUR);
          assertThat(execution.nanoTime() - begun).isLessThan(HOUR);
          execution.parkNanos(execution, HOUR);
          assertThat(execution.nanoTime() - begun).isGreaterThanOrEqualTo(HOUR);

          Thread self = Thread.currentThread();
          Thread waker = execution.spawn("waker", () -> execution.unpark(self));
          long second = execution.nanoTime();
          execution.parkNanos(execution, HOUR);
          assertThat(execution.nanoTime() - second).isLessThan(HOUR);
          execution.join(waker);
        });
  }

  @Test
  void anInterruptEndsAParkAndStaysSet() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(1, 2)).spuriousOneIn(0).build();
    execution.run(
        () -> {
          boolean[] seen = new boolean[1];
          Thread sleeper =
              execution.spawn(
                  "sleeper",
                  () -> {
                    execution.parkNanos(seen, HOUR);
                    seen[0] = Thread.currentThread().isInterrupted();
                    execution.yieldNow();
                    seen[0] &= Thread.currentThread().isInterrupted();
                  });
          long begun = execution.nanoTime();
          execution.interrupt(sleeper);
          execution.join(sleeper);
          assertThat(execution.nanoTime() - begun).isLessThan(HOUR);
          assertThat(seen[0]).isTrue();
        });
  }

  @Test
  void anEndedThreadIsNotAlive() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.roundRobin(3));
    for (int round = 0; round < 20; round++) {
      execution.run(
          () -> {
            for (int i = 0; i < 20; i++) {
              Thread thread = execution.spawn("short", () -> execution.yieldNow());
              execution.join(thread);
              assertThat(thread.isAlive()).isFalse();
            }
          });
    }
  }

  /**
   * Kills at a step; returns the shared words, which two threads count up in step with each other.
   */
  private static long[] killedAt(long step) {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(4, 2));
    SimulatedDisk disk = SimulatedDisk.builder(4).execution(execution).build();
    Bytes.durable(disk.storage(), "shared", 4096, 0);
    Region shared = disk.storage().mapShared("shared", 4096);
    long[] inMemory = new long[2];
    execution.killAtStep(step);
    SimulationOutcome outcome =
        execution.run(
            () -> {
              Thread other = execution.spawn("other", () -> countUp(shared, 1, inMemory));
              countUp(shared, 0, inMemory);
              execution.join(other);
            });
    assertThat(outcome.crashed()).isEqualTo(outcome.steps() == step);
    if (outcome.crashed()) {
      assertThatThrownBy(() -> shared.getLong(0)).isInstanceOf(SimulatedCrash.class);
    }
    disk.kill();
    Region left = disk.storage().mapShared("shared", 4096);
    for (int t = 0; t < 2; t++) {
      // The store of the step after which the thread was cut off was done, or not.
      assertThat(left.getLong(8L * t)).isBetween(inMemory[t], inMemory[t] + 1);
    }
    return new long[] {left.getLong(0), left.getLong(8)};
  }

  private static void countUp(Region shared, int t, long[] inMemory) {
    for (int i = 1; i <= 20; i++) {
      try {
        shared.setLong(8L * t, i);
        inMemory[t] = i;
      } catch (SimulatedCrash e) {
        // What an engine does that catches everything: try to go on, in vain.
        assertThatThrownBy(() -> shared.setLong(8L * t, 1000)).isInstanceOf(SimulatedCrash.class);
        throw e;
      }
    }
  }

  @Test
  void aKillStopsEveryThreadWhereItIs() {
    Set<List<Long>> seen = new HashSet<>();
    for (int step = 1; step <= 45; step++) {
      long[] left = killedAt(step);
      seen.add(List.of(left[0], left[1]));
    }
    assertThat(seen).hasSizeGreaterThan(35);
  }

  @Test
  void aCrashAtADiskOperationStopsEveryThread() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(4, 2));
    SimulatedDisk disk = SimulatedDisk.builder(4).execution(execution).build();
    var storage = disk.storage();
    Region words = storage.allocate(64);
    disk.crashAtOperation(5, CrashMoment.AFTER);
    SimulationOutcome outcome =
        execution.run(
            () -> {
              execution.spawn(
                  "spinner",
                  () -> {
                    while (true) {
                      words.getAndAddLong(0, 1);
                    }
                  });
              for (int i = 0; i < 10; i++) {
                storage.createDirectory("d" + i);
              }
            });
    assertThat(outcome.crashed()).isTrue();
    disk.kill();
    assertThat(disk.storage().list("")).containsExactly("d0", "d1", "d2", "d3");
  }

  @Test
  void whatIsLeftWhenTheBodyReturnsIsKilled() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(4, 2));
    SimulatedDisk disk = SimulatedDisk.builder(4).execution(execution).build();
    var storage = disk.storage();
    SimulationOutcome outcome =
        execution.run(
            () ->
                execution.spawn(
                    "daemon",
                    () -> {
                      while (true) {
                        execution.parkNanos(storage, HOUR);
                      }
                    }));
    assertThat(outcome.leftover()).containsExactly("daemon");
    assertThat(outcome.crashed()).isFalse();
    assertThatThrownBy(() -> storage.exists("f")).isInstanceOf(SimulatedCrash.class);
  }

  @Test
  void aFailureOfAnyThreadFailsTheRun() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(4, 2));
    assertThatThrownBy(
            () ->
                execution.run(
                    () -> {
                      execution.spawn("bad", () -> assertThat(1).isEqualTo(2));
                      execution.parkNanos(this, HOUR);
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("; schedule: ");
  }

  @Test
  void aDeadlockIsReported() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(4, 2));
    assertThatThrownBy(
            () ->
                execution.run(
                    () -> {
                      Thread self = Thread.currentThread();
                      execution.join(execution.spawn("waiter", () -> execution.join(self)));
                    }))
        .isInstanceOf(SimulationStuckError.class)
        .hasMessageContaining("deadlock")
        .hasMessageContaining("waiter: JOINING");
  }

  @Test
  void aLivelockIsReported() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(4, 2)).maxSteps(10_000).build();
    assertThatThrownBy(
            () ->
                execution.run(
                    () -> {
                      execution.spawn("idle", () -> execution.parkNanos(this, HOUR));
                      while (true) {
                        execution.spinWait();
                      }
                    }))
        .isInstanceOf(SimulationStuckError.class)
        .hasMessageContaining("10000 steps")
        .hasMessageContaining("idle: PARKED");
  }

  @Test
  void waitingOutsideTheSimulationIsReported() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.roundRobin(1)).stallSeconds(1).build();
    Object monitor = new Object();
    assertThatThrownBy(
            () ->
                execution.run(
                    () -> {
                      Thread holder =
                          execution.spawn(
                              "holder",
                              () -> {
                                synchronized (monitor) {
                                  execution.yieldNow();
                                }
                              });
                      execution.yieldNow();
                      synchronized (monitor) {
                        execution.join(holder);
                      }
                    }))
        .isInstanceOf(SimulationStuckError.class)
        .hasMessageContaining("main (BLOCKED)");
  }

  /** It may swallow what it gets, and then the run has not shown what it is to show. */
  @Test
  void aThreadThatWasNotSpawnedFailsTheRun() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.roundRobin(1));
    Region words = SimulatedDisk.builder(1).execution(execution).build().storage().allocate(64);
    assertThatThrownBy(
            () ->
                execution.run(
                    () -> {
                      Thread foreign = new Thread(() -> addAndSwallow(words), "foreign");
                      foreign.start();
                      foreign.join();
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the thread \"foreign\" uses the simulated machine");
    assertThat(words.getLong(0)).isZero();
  }

  private static void addAndSwallow(Region words) {
    try {
      words.getAndAddLong(0, 1);
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("was not started by it");
    }
  }

  @Test
  void outsideARunNothingIsScheduled() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.roundRobin(1));
    execution.spinWait();
    long before = execution.nanoTime();
    execution.jump(HOUR);
    assertThat(execution.nanoTime() - before).isEqualTo(HOUR);
    assertThatThrownBy(() -> execution.spawn("early", () -> {}))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aProcessThatHasDiedStartsNoThread() {
    SimulatedExecution execution = SimulatedExecution.with(new RoundRobinSchedule(1));
    AtomicInteger threads = new AtomicInteger();
    InheritableThreadLocal<Boolean> counted =
        new InheritableThreadLocal<>() {
          @Override
          protected Boolean childValue(Boolean parent) {
            threads.incrementAndGet();
            return parent;
          }
        };
    counted.set(true);
    execution.killAtStep(3);

    SimulationOutcome outcome =
        execution.run(
            () -> {
              try {
                while (true) {
                  execution.spinWait();
                }
              } finally {
                execution.start("closing", () -> {});
              }
            });

    counted.remove();
    assertThat(outcome.crashed()).isTrue();
    assertThat(threads).as("the body's").hasValue(1);
  }
}
