package io.howdah.cli.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each form of each level of Netty's loggers writes its message, its arguments and its exception at
 * that level, if the log is set to that level or a lower one, and nothing otherwise.
 */
final class NettyLoggersTest {

  private static final List<Level> LEVELS =
      List.of(Level.TRACE, Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR);

  private final PrintStream standardError = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  @BeforeEach
  void redirect() {
    System.setErr(new PrintStream(written, false, UTF_8));
  }

  @AfterEach
  void restore() {
    System.setErr(standardError);
    StandardErrorLog.set(Level.INFO, LogFormat.TEXT);
  }

  private static String nameOf(Level level) {
    return level == Level.WARNING ? "warn" : level.name().toLowerCase(Locale.ROOT);
  }

  static Stream<Arguments> calls() {
    List<Arguments> calls = new ArrayList<>();
    for (Level level : LEVELS) {
      Arrays.stream(InternalLogger.class.getMethods())
          .filter(method -> method.getName().equals(nameOf(level)))
          .forEach(method -> calls.add(Arguments.of(level, method)));
    }
    return calls.stream();
  }

  /** Returns what a call gets for the parameters of its form. */
  private static Object[] arguments(Method form, String message) {
    Class<?>[] types = form.getParameterTypes();
    if (types.length == 1 && types[0] == Throwable.class) {
      return new Object[] {new IllegalStateException(message)};
    }
    if (types.length == 1) {
      return new Object[] {message};
    }
    if (types[1] == Throwable.class) {
      return new Object[] {message, new IllegalStateException("thrown")};
    }
    if (types[1].isArray()) {
      return new Object[] {message + " {} {} {}", new Object[] {"first", "second", "third"}};
    }
    return types.length == 2
        ? new Object[] {message + " {}", "first"}
        : new Object[] {message + " {} {}", "first", "second"};
  }

  private static String expected(Method form) {
    Class<?>[] types = form.getParameterTypes();
    boolean isThrown = types[types.length - 1] == Throwable.class;
    if (types.length == 1 || isThrown) {
      return "told";
    }
    return types[1].isArray()
        ? "told first second third"
        : types.length == 2 ? "told first" : "told first second";
  }

  @ParameterizedTest
  @MethodSource("calls")
  void eachFormWritesAtItsLevel(Level level, Method form) throws Exception {
    InternalLoggerFactory before = InternalLoggerFactory.getDefaultFactory();
    NettyLoggers.install();
    InternalLogger logger;
    try {
      logger = InternalLoggerFactory.getInstance("io.x");
    } finally {
      InternalLoggerFactory.setDefaultFactory(before);
    }
    Method isEnabled =
        Arrays.stream(InternalLogger.class.getMethods())
            .filter(method -> method.getName().equalsIgnoreCase("is" + nameOf(level) + "Enabled"))
            .findFirst()
            .orElseThrow();
    for (Level set : LEVELS) {
      StandardErrorLog.set(set, LogFormat.TEXT);
      written.reset();
      boolean isWritten = level.getSeverity() >= set.getSeverity();
      assertThat(isEnabled.invoke(logger)).isEqualTo(isWritten);
      form.invoke(logger, arguments(form, "told"));
      String text = written.toString(UTF_8);
      if (isWritten) {
        assertThat(text.lines().findFirst().orElseThrow()).contains(" " + level + " io.x ");
        assertThat(text).contains(expected(form));
        boolean isThrown =
            form.getParameterTypes()[form.getParameterCount() - 1] == Throwable.class;
        assertThat(text.contains("IllegalStateException")).isEqualTo(isThrown);
      } else {
        assertThat(text).isEmpty();
      }
    }
  }
}
