package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which hooks run, and which a savepoint forgets. */
final class HooksTest {

  private final Hooks hooks = new Hooks();
  private final List<String> run = new ArrayList<>();

  private void add(int commits, int stables, int aborts, String name) {
    for (int i = 0; i < commits; i++) {
      hooks.onCommit(() -> run.add("commit " + name));
    }
    for (int i = 0; i < stables; i++) {
      hooks.onStable(() -> run.add("stable " + name));
    }
    for (int i = 0; i < aborts; i++) {
      hooks.onAbort(() -> run.add("abort " + name));
    }
  }

  private int runs(Runnable kind) {
    run.clear();
    kind.run();
    return run.size();
  }

  @Test
  void aRollBackForgetsTheHooksOfEachKindSinceItsPosition() {
    assertThat(hooks.awaitsStability()).isFalse();
    long empty = hooks.position();
    add(1, 2, 3, "a");
    assertThat(hooks.awaitsStability()).isTrue();
    long first = hooks.position();
    add(6, 5, 4, "b");
    assertThat(runs(hooks::committed)).isEqualTo(7);
    assertThat(runs(hooks::stable)).isEqualTo(7);
    assertThat(runs(hooks::aborted)).isEqualTo(7);
    hooks.rollBack(first);
    assertThat(runs(hooks::committed)).isEqualTo(1);
    assertThat(run).containsOnly("commit a");
    assertThat(runs(hooks::stable)).isEqualTo(2);
    assertThat(run).containsOnly("stable a");
    assertThat(runs(hooks::aborted)).isEqualTo(3);
    assertThat(run).containsOnly("abort a");
    assertThat(hooks.position()).isEqualTo(first);
    hooks.rollBack(empty);
    assertThat(runs(hooks::committed) + runs(hooks::stable) + runs(hooks::aborted)).isZero();
    assertThat(hooks.awaitsStability()).isFalse();
  }

  @Test
  void aHookThatFailsKeepsNoOtherFromRunning() {
    hooks.onCommit(
        () -> {
          throw new IllegalStateException("by the test");
        });
    add(2, 0, 0, "a");
    assertThat(runs(hooks::committed)).isEqualTo(2);
  }
}
