package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.AbortCause;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports and figures: each method tells the value of its name, and the text has all of them. */
final class ReportsTest {

  private long next = 1001;

  private Object value(Class<?> type, boolean flag) {
    next += 7;
    if (type == long.class) {
      return next;
    } else if (type == int.class) {
      return (int) next;
    } else if (type == boolean.class) {
      return flag;
    } else if (type == Duration.class) {
      return Duration.ofMillis(next);
    } else if (type == Optional.class) {
      return Optional.empty();
    } else if (type == List.class) {
      return List.of();
    } else if (type == Map.class) {
      Map<AbortCause, Long> counts = new EnumMap<>(AbortCause.class);
      Arrays.stream(AbortCause.values()).forEach(cause -> counts.put(cause, next++));
      return counts;
    } else if (type == SortedMap.class) {
      return new TreeMap<>();
    }
    throw new AssertionError(type);
  }

  private Object values(Class<?> report, boolean flag) throws ReflectiveOperationException {
    Class<?> values =
        Arrays.stream(report.getDeclaredClasses())
            .filter(nested -> nested.getSimpleName().equals("Values"))
            .findFirst()
            .orElseThrow();
    Class<?>[] types =
        Arrays.stream(values.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    Object[] arguments = Arrays.stream(types).map(type -> value(type, flag)).toArray();
    return values.getDeclaredConstructor(types).newInstance(arguments);
  }

  private static Optional<Method> accessor(Class<?> report, RecordComponent component) {
    String name = component.getName();
    String isName = "is" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    return Arrays.stream(report.getDeclaredMethods())
        .filter(method -> method.getParameterCount() == 0)
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> method.getName().equals(name) || method.getName().equals(isName))
        .findFirst();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        StoreStats.class,
        CheckpointStats.class,
        CheckpointReport.class,
        BackupReport.class,
        ReplayStats.class,
        StoreInspection.class
      })
  void eachMethodTellsTheValueOfItsName(Class<?> report) throws ReflectiveOperationException {
    for (boolean flag : new boolean[] {false, true}) {
      Object values = values(report, flag);
      Constructor<?> constructor = report.getDeclaredConstructor(values.getClass());
      Object told = constructor.newInstance(values);
      for (RecordComponent component : values.getClass().getRecordComponents()) {
        Method method = accessor(report, component).orElseThrow();
        Method getter = component.getAccessor();
        getter.setAccessible(true);
        Object value = getter.invoke(values);
        assertThat(method.invoke(told)).as("%s", method).isEqualTo(value);
        assertThat(told.toString())
            .startsWith(report.getSimpleName() + "[")
            .contains(component.getName() + "=" + value);
      }
    }
  }

  @Test
  void allAbortsAreThoseOfAllCauses() throws ReflectiveOperationException {
    StoreStats stats = new StoreStats((StoreStats.Values) values(StoreStats.class, true));
    long sum = stats.aborts().values().stream().mapToLong(Long::longValue).sum();
    assertThat(stats.totalAborts())
        .isEqualTo(sum)
        .isGreaterThan(AbortCause.values().length * 1000L);
  }
}
