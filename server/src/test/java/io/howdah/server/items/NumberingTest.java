package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The numbers of CAS values: what is given out, and that it is reserved on the disk before. */
@Timeout(120)
final class NumberingTest {

  private static final int BLOCK = Numbering.BLOCK;

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(4 << 20));
  private final ServerState state = new ServerState(store);
  private final Numbering.Block block = new Numbering.Block();

  @AfterEach
  void close() {
    store.close();
  }

  private Numbering numbers(int blocks) {
    return new Numbering(store, state, (long) blocks * BLOCK);
  }

  private static long inAnotherThread(LongSupplier draw) {
    return CompletableFuture.supplyAsync(draw::getAsLong).orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  void aRangeIsReservedAtTheStartAndUsedToItsEnd() {
    Numbering numbers = numbers(2);
    assertThat(numbers.first()).isEqualTo(1);
    assertThat(state.get(ServerState.RESERVED)).isEqualTo(1 + 2 * BLOCK);
    for (int i = 1; i <= 2 * BLOCK; i++) {
      assertThat(numbers.draw(block, 0, 0)).isEqualTo(i);
    }
    assertThat(numbers.draw(block, 0, 0)).isEqualTo(Numbering.NONE);
    assertThat(state.get(ServerState.RESERVED)).isEqualTo(1 + 2 * BLOCK);
    numbers.refill(block);
    assertThat(state.get(ServerState.RESERVED)).isEqualTo(1 + 4 * BLOCK);
    assertThat(numbers.draw(block, 0, 0)).isEqualTo(1 + 2 * BLOCK);
    assertThat(inAnotherThread(() -> numbers.draw(new Numbering.Block(), 0, 0)))
        .isEqualTo(1 + 3 * BLOCK);
  }

  @Test
  void theNextStartBeginsBehindWhatWasReserved() {
    assertThat(numbers(4).draw(block, 0, 0)).isEqualTo(1);
    Numbering next = numbers(2);
    assertThat(next.first()).isEqualTo(1 + 4 * BLOCK);
    assertThat(next.draw(new Numbering.Block(), 0, 0)).isEqualTo(1 + 4 * BLOCK);
    assertThat(state.get(ServerState.RESERVED)).isEqualTo(1 + 6 * BLOCK);
  }

  @Test
  void moreIsReservedWhenLessThanHalfOfARangeIsLeft() {
    Numbering numbers = numbers(4);
    for (int blocks = 1; blocks <= 2; blocks++) {
      assertThat(numbers.draw(new Numbering.Block(), 0, 0)).isPositive();
      numbers.reserve();
      assertThat(state.get(ServerState.RESERVED)).isEqualTo(1 + 4 * BLOCK);
    }
    assertThat(numbers.draw(new Numbering.Block(), 0, 0)).isPositive();
    numbers.reserve();
    assertThat(state.get(ServerState.RESERVED)).isEqualTo(1 + 8 * BLOCK);
  }

  @Test
  void aNumberIsNotBelowTheMarkOfAFlush() {
    Numbering numbers = numbers(8);
    assertThat(numbers.draw(block, 0, 0)).isEqualTo(1);
    long[] mark = {0};
    numbers.pause(number -> mark[0] = number);
    assertThat(mark[0]).isEqualTo(1 + BLOCK);
    assertThat(numbers.draw(block, mark[0], 0)).isEqualTo(mark[0]);
    assertThat(numbers.draw(block, mark[0] + 1, 0)).isEqualTo(mark[0] + 1);
    assertThat(inAnotherThread(() -> numbers.draw(new Numbering.Block(), mark[0], 0)))
        .isEqualTo(mark[0] + BLOCK);
  }

  @Test
  void whileAMarkIsSetNoBlockIsGivenOut() {
    Numbering numbers = numbers(8);
    assertThat(numbers.draw(block, 0, 0)).isEqualTo(1);
    numbers.pause(
        number -> {
          assertThat(inAnotherThread(() -> numbers.draw(block, 0, 0))).isEqualTo(2);
          assertThat(inAnotherThread(() -> numbers.draw(new Numbering.Block(), 0, 0)))
              .isEqualTo(Numbering.NONE);
        });
    assertThat(numbers.draw(new Numbering.Block(), 0, 0)).isEqualTo(1 + BLOCK);
  }

  @Test
  void aNumberIsAboveTheOneBeforeIfThatWasGivenOut() {
    Numbering numbers = numbers(8);
    Numbering.Block other = new Numbering.Block();
    assertThat(numbers.draw(block, 0, 0)).isEqualTo(1);
    assertThat(numbers.draw(other, 0, 0)).isEqualTo(1 + BLOCK);
    assertThat(numbers.draw(block, 0, 1 + BLOCK)).isEqualTo(1 + 2 * BLOCK);
    assertThat(numbers.draw(block, 0, 1 + 2 * BLOCK)).isEqualTo(2 + 2 * BLOCK);
    assertThat(numbers.draw(block, 0, 3 + 2 * BLOCK)).isEqualTo(1 + 3 * BLOCK);
  }

  /** A client may give an item any CAS value. */
  @Test
  void aNumberThatWasNeverGivenOutUsesUpNoBlock() {
    Numbering numbers = numbers(8);
    long limit = 1 + 8 * BLOCK;
    assertThat(numbers.draw(block, 0, 0)).isEqualTo(1);
    assertThat(numbers.draw(block, 0, limit)).isEqualTo(2);
    assertThat(numbers.draw(block, 0, -1)).isEqualTo(3);
    assertThat(numbers.draw(block, 0, Long.MIN_VALUE)).isEqualTo(4);
    assertThat(numbers.draw(block, 0, limit - 1)).isEqualTo(1 + BLOCK);
  }

  @Test
  void othersMayReserveAfterARefill() {
    Numbering numbers = numbers(8);
    numbers.refill(block);
    assertThat(
            inAnotherThread(
                () -> {
                  Numbering.Block other = new Numbering.Block();
                  numbers.refill(other);
                  return numbers.draw(other, 0, 0);
                }))
        .isEqualTo(1 + BLOCK);
    numbers.pause(_ -> {});
    assertThat(inAnotherThread(() -> numbers.draw(new Numbering.Block(), 0, 0)))
        .isEqualTo(1 + 2 * BLOCK);
  }

  @Test
  void aRangeIsDurableBeforeItIsUsed() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(50_000_000).build();
    SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
    execution.run(
        () -> {
          try (Store durable =
              Store.open(
                  StoreOptions.defaults()
                      .withStorage(disk.storage())
                      .withExecution(execution)
                      .withMaxSize(1 << 21)
                      .withOrecs(1 << 10)
                      .withPartitions(2)
                      .withRingBytes(1 << 16))) {
            ServerState kept = new ServerState(durable);
            Numbering numbers = new Numbering(durable, kept, 2L * BLOCK);
            long reserved = kept.get(ServerState.RESERVED);
            int ranges = 0;
            for (int i = 0; i < 20; i++) {
              numbers.refill(block);
              if (kept.get(ServerState.RESERVED) != reserved) {
                reserved = kept.get(ServerState.RESERVED);
                ranges++;
                assertThat(durable.durability().isStable(durable.admin().stats().lsn())).isTrue();
              }
            }
            assertThat(ranges).isGreaterThan(5);
          }
        });
  }
}
