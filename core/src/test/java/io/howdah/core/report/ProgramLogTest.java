package io.howdah.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Execution;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message is written by a thread of its own, one at a time. */
final class ProgramLogTest {

  private static final String NAME = "io.howdah.core.report.test";

  private final List<String> written = new ArrayList<>();
  private final List<Runnable> started = new ArrayList<>();
  private final Logger logger = Logger.getLogger(NAME);
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord message) {
          written.add(message.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private boolean hasMemory = true;

  /** Keeps what is started, so that the test says when it runs. */
  private final Execution execution =
      (Execution)
          Proxy.newProxyInstance(
              Execution.class.getClassLoader(),
              new Class<?>[] {Execution.class},
              (_, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("start");
                if (!hasMemory) {
                  throw new OutOfMemoryError("unable to create native thread");
                }
                started.add((Runnable) arguments[1]);
                return new Thread();
              });

  private final ProgramLog programLog = new ProgramLog(NAME, execution);

  @BeforeEach
  void listen() {
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  private boolean say(String message) {
    return programLog.say(System.Logger.Level.WARNING, () -> message);
  }

  @Test
  void theCallerDoesNotWrite() {
    assertThat(say("a")).isTrue();
    assertThat(written).isEmpty();
    started.getFirst().run();
    assertThat(written).containsExactly("a");
  }

  @Test
  void whatComesMeanwhileIsLeftOut() {
    assertThat(say("a")).isTrue();
    assertThat(say("b")).isFalse();
    started.getFirst().run();
    assertThat(say("c")).isTrue();
    started.getLast().run();
    assertThat(written).containsExactly("a", "c");
  }

  @Test
  void withoutMemoryForAThreadTheMessageIsLeftOut() {
    hasMemory = false;
    assertThat(say("a")).isFalse();
    hasMemory = true;
    assertThat(say("b")).isTrue();
  }
}
