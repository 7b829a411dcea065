package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LifecycleTest {

  private final Lifecycle lifecycle = new Lifecycle();
  private final List<Throwable> told = new ArrayList<>();

  @Test
  void theFirstCauseIsKeptAndToldOnce() {
    lifecycle.onFailure(told::add);
    Throwable first = new IllegalStateException("first");
    lifecycle.fail(first);
    lifecycle.fail(new IllegalStateException("second"));
    assertThat(lifecycle.failure()).isSameAs(first);
    assertThat(told).containsExactly(first);
  }

  @Test
  void aCauseThatAThreadWithoutStackHasSetIsToldByWhoeverFindsIt() {
    lifecycle.onFailure(told::add);
    Throwable first = new IllegalStateException("first");
    lifecycle.failure = first;
    lifecycle.fail(first);
    lifecycle.fail(new IllegalStateException("second"));
    assertThat(told).containsExactly(first);
  }

  @Test
  void theStoreStopsEvenIfNobodyCanBeTold() {
    lifecycle.onFailure(
        cause -> {
          throw new OutOfMemoryError("no heap for a message");
        });
    lifecycle.fail(new IllegalStateException("first"));
    assertThat(lifecycle.failure()).hasMessage("first");
  }
}
