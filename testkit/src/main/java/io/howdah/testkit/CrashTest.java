package io.howdah.testkit;

import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A JUnit test that is run once for each moment at which the program may die: first to the end,
 * then dying before, in the middle of and after each operation that changes the disk, on each kind
 * of disk.
 *
 * <p>The method may take a {@link io.howdah.core.storage.Storage}, the {@link SimulatedDisk} behind
 * it, an {@link io.howdah.core.Execution} and a {@link CrashControl}, in any order, and anything
 * whose class has a public constructor that takes a {@link CrashControl} alone. It calls {@link
 * CrashControl#run} once, with the work that dies, and then {@link CrashControl#check}, which comes
 * back from the crash in the legal states:
 *
 * <pre>{@code
 * @CrashTest
 * void acknowledgedEntriesSurvive(Storage storage, CrashControl crash) {
 *   List<String> acknowledged = new ArrayList<>();
 *   crash.run(() -> {
 *     try (Journal journal = Journal.open(storage)) {
 *       for (String entry : List.of("a", "b", "c")) {
 *         journal.append(entry);
 *         acknowledged.add(entry);
 *       }
 *     }
 *   });
 *   crash.check(machine -> {
 *     try (Journal journal = Journal.open(machine.storage())) {
 *       assertThat(journal.entries()).containsAll(acknowledged);
 *     }
 *   });
 * }
 * }</pre>
 *
 * <p>A failure says how to have that one crash again: {@code -Dhowdah.crash.replay=...}, together
 * with the name of the test. An annotation that has this one is one, too. JUnit's API must be
 * there, of version 5.13 or newer; the rest of this module does without.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(CrashTestExtension.class)
@Execution(ExecutionMode.SAME_THREAD)
public @interface CrashTest {

  /** What disk and schedule follow from. */
  long seed() default 1;

  /** On which disks. */
  CrashUnit[] units() default {CrashUnit.WORD, CrashUnit.SECTOR, CrashUnit.PAGE};

  /** How to go down. */
  CrashKind[] kinds() default {CrashKind.KILL, CrashKind.POWER_CUT};

  /** At how many points the work dies at most, on each disk; more are sampled evenly. */
  int points() default 200;

  /** How many states are tried at most, at each point and for each kind. */
  int states() default 100;

  /** At how many points each check dies at most, to be repeated; 0 for not at all. */
  int recoveryPoints() default 2;

  /**
   * For programs with threads: how often the thread that runs is preempted, once in so many steps.
   * 0 runs the program without an execution, in the thread of the test.
   */
  int preemptOneIn() default 0;
}
