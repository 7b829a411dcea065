package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.archive.Archive;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.disk.SimulatedDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random settings, one on top of the other: each changes its own option and no other, and leaves
 * the options that it was called on as they were. {@code -Dhowdah.options.steps=1000000} makes the
 * walk long.
 */
@Tag("scaled")
final class StoreOptionsWalkTest {

  private static final int STEPS =
      Integer.getInteger("howdah.options.steps", 20_000 / Integer.getInteger("howdah.stride", 16));

  /** An option with its {@code with} method and its getter. */
  private record Setting(Method setter, Method getter) {
    String name() {
      return getter.getName();
    }

    Object get(StoreOptions options) throws ReflectiveOperationException {
      return getter.invoke(options);
    }
  }

  private final CodecRegistry otherCodecs =
      CodecRegistry.defaults().with(String.class, Codec.utf8());
  private final Execution otherExecution = Execution.system();
  private final Storage storage = SimulatedDisk.seeded(1).storage();
  private final Storage otherStorage = SimulatedDisk.seeded(2).storage();
  private final StoreTimings timings = new StoreTimings() {};
  private final StoreTimings otherTimings = new StoreTimings() {};
  private final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);

  private static List<Setting> settings() throws NoSuchMethodException {
    List<Setting> found = new ArrayList<>();
    for (Method method : StoreOptions.class.getMethods()) {
      if (method.getReturnType() == StoreOptions.class && method.getParameterCount() == 1) {
        String name = method.getName().substring("with".length());
        String getter = Character.toLowerCase(name.charAt(0)) + name.substring(1);
        found.add(new Setting(method, StoreOptions.class.getMethod(getter)));
      }
    }
    // The order of reflection is not promised, and the walk is to be the same every time.
    found.sort(Comparator.comparing(Setting::name));
    return found;
  }

  @Test
  void aSettingChangesNoOther() throws Exception {
    List<Setting> settings = settings();
    assertThat(settings).hasSizeGreaterThan(20);
    StoreOptions options = StoreOptions.defaults();
    Map<String, Object> model = read(settings, options);
    boolean isLogLimited = false;
    int accepted = 0;
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(100) == 0) {
        options = StoreOptions.defaults();
        model = read(settings, options);
        isLogLimited = false;
      }
      Setting setting = settings.get(random.nextInt(settings.size()));
      Object value = value(setting.setter().getParameterTypes()[0]);
      StoreOptions changed;
      try {
        changed = (StoreOptions) setting.setter().invoke(options, value);
      } catch (InvocationTargetException e) {
        assertThat(e.getCause())
            .as("step %d: %s(%s)", step, setting.name(), value)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(setting.name());
        assertThat(read(settings, options)).as("step %d", step).isEqualTo(model);
        continue;
      }
      accepted++;
      assertThat(read(settings, options)).as("step %d", step).isEqualTo(model);
      Map<String, Object> expected = new HashMap<>(model);
      expected.put(setting.name(), kept(setting, value));
      isLogLimited |= setting.name().equals("maxLogBytes");
      if (!isLogLimited) {
        // Until it is set, it follows from others.
        expected.put("maxLogBytes", changed.maxLogBytes());
      }
      model = read(settings, changed);
      assertThat(model).as("step %d: %s(%s)", step, setting.name(), value).isEqualTo(expected);
      options = changed;
    }
    assertThat(accepted).isGreaterThan(STEPS / 4);
  }

  private static Map<String, Object> read(List<Setting> settings, StoreOptions options)
      throws ReflectiveOperationException {
    Map<String, Object> values = new HashMap<>();
    for (Setting setting : settings) {
      values.put(setting.name(), setting.get(options));
    }
    return values;
  }

  /** Returns what an option becomes that is set to a value. */
  private static Object kept(Setting setting, Object value) {
    return switch (setting.name()) {
      case "maxSize" -> (long) value & -4096L;
      case "timings", "storage", "clock", "archive" -> Optional.of(value);
      default -> value;
    };
  }

  private Object value(Class<?> type) {
    if (type == boolean.class) {
      return random.nextBoolean();
    }
    if (type == int.class) {
      return random.nextBoolean() ? 1 << random.nextInt(31) : random.nextInt(-2, 300);
    }
    if (type == long.class) {
      return (1L << random.nextInt(50)) + random.nextInt(-1, 2);
    }
    if (type == Duration.class) {
      return Duration.ofNanos(1L << random.nextInt(50)).plusNanos(random.nextInt(-1, 2));
    }
    if (type == Storage.class) {
      return random.nextBoolean() ? storage : otherStorage;
    }
    if (type == Execution.class) {
      return random.nextBoolean() ? StoreOptions.defaults().execution() : otherExecution;
    }
    if (type == CodecRegistry.class) {
      return random.nextBoolean() ? CodecRegistry.defaults() : otherCodecs;
    }
    if (type == InstantSource.class) {
      return random.nextBoolean() ? InstantSource.system() : InstantSource.fixed(Instant.EPOCH);
    }
    if (type == Archive.class) {
      return Archive.to(Path.of("archive"), Duration.ofSeconds(1 + random.nextInt(9)));
    }
    if (type == Executor.class) {
      Executor direct = Runnable::run;
      return direct;
    }
    if (type == StoreTimings.class) {
      return random.nextBoolean() ? timings : otherTimings;
    }
    return Arrays.asList(type.getEnumConstants())
        .get(random.nextInt(type.getEnumConstants().length));
  }
}
