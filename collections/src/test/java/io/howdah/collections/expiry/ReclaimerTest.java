package io.howdah.collections.expiry;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ReclaimerTest {

  /** A map whose steps run this. */
  private record Task(String name, Runnable onStep, AtomicReference<Throwable> failure)
      implements ReclaimTask {

    Task(String name, Runnable onStep) {
      this(name, onStep, new AtomicReference<>());
    }

    @Override
    public Progress step() {
      onStep.run();
      return Progress.MORE;
    }

    @Override
    public void passFailed(Throwable thrown, boolean isFirst) {
      failure.set(thrown);
    }

    @Override
    public long looked() {
      return 0;
    }

    @Override
    public long reclaimed() {
      return 0;
    }

    @Override
    public void begin() {}

    @Override
    public boolean isWorthwhile() {
      return true;
    }
  }

  private static Runnable throwing(RuntimeException thrown, AtomicInteger steps) {
    return () -> {
      steps.incrementAndGet();
      throw thrown;
    };
  }

  @Test
  void aMapThatCannotBeReadDoesNotStopTheOthers() throws Exception {
    Reclaimer reclaimer = new Reclaimer(Execution.system());
    IllegalStateException thrown = new IllegalStateException("not a key");
    Task unreadable = new Task("unreadable", throwing(thrown, new AtomicInteger()));
    CountDownLatch sound = new CountDownLatch(3);
    try {
      reclaimer.add(unreadable);
      reclaimer.add(new Task("sound", sound::countDown));
      assertThat(sound.await(30, TimeUnit.SECONDS)).as("the other goes on").isTrue();
    } finally {
      reclaimer.close();
    }
    assertThat(unreadable.failure()).hasValue(thrown);
  }

  @Test
  void aClosedStoreEndsTheThreadWithoutAComplaint() throws Exception {
    Reclaimer reclaimer = new Reclaimer(Execution.system());
    AtomicInteger steps = new AtomicInteger();
    Task task = new Task("map", throwing(new StoreClosedException("closed"), steps));
    reclaimer.add(task);
    reclaimer.close();
    assertThat(task.failure()).hasNullValue();
    assertThat(steps.get()).isLessThanOrEqualTo(1);
  }
}
