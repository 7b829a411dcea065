package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Takes what is written to a logger during a test, in the place of the console. Thread-safe. */
public final class HeardMessages implements BeforeEachCallback, AfterEachCallback {

  private static final long LONG_SECONDS = 60;

  private final Logger logger;
  private final @Nullable Level least;
  private @Nullable Level before;
  private final BlockingQueue<LogRecord> heard = new LinkedBlockingQueue<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          heard.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  /** Creates one for a logger, by name. */
  public HeardMessages(String logger) {
    this(logger, null);
  }

  /**
   * Creates one for a logger and those below it.
   *
   * @param least the level from which on messages are taken; null for the usual one
   */
  public HeardMessages(String logger, @Nullable Level least) {
    this.logger = Logger.getLogger(logger);
    this.least = least;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    if (least != null) {
      before = logger.getLevel();
      logger.setLevel(least);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    if (least != null) {
      logger.setLevel(before);
    }
  }

  /** Waits for the next message, and takes it. */
  public LogRecord next() throws InterruptedException {
    LogRecord entry = heard.poll(LONG_SECONDS, TimeUnit.SECONDS);
    assertThat(entry).isNotNull();
    return entry;
  }

  /** Returns those that were not taken. */
  public Collection<LogRecord> rest() {
    return heard;
  }
}
