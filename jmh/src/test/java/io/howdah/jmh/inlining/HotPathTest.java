package io.howdah.jmh.inlining;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.jmh.inlining.HotCall.Outcome;
import io.howdah.jmh.inlining.HotCall.Verdict;
import io.howdah.jmh.study.Effort;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.workload.Rounds;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HotPathTest {

  private static final String UNIT = "Program.body";

  /** Decisions as they have to be, in one unit. */
  private static List<Decision> asExpected(HotPath path) {
    List<Decision> decisions = new ArrayList<>();
    decisions.add(new Decision(UNIT, UNIT, "TxHandle.getLong", true, "inline (hot)"));
    for (HotCall call : path.calls()) {
      decisions.add(
          new Decision(
              UNIT,
              call.caller(),
              call.callee(),
              call.isInlined(),
              call.isInlined() ? "inline (hot)" : "too big"));
    }
    return decisions;
  }

  private static List<Verdict> otherwise(HotPath path, List<Decision> decisions) {
    return path.judge("Program", decisions).stream()
        .filter(verdict -> verdict.outcome() != Outcome.AS_EXPECTED)
        .toList();
  }

  @Test
  void whatIsAsExpectedIsSaidToBe() {
    assertThat(otherwise(HotPath.READ_A_WORD, asExpected(HotPath.READ_A_WORD))).isEmpty();
    assertThat(otherwise(HotPath.COMMIT, asExpected(HotPath.COMMIT))).isEmpty();
  }

  @Test
  void eachCallThatTurnsOutOtherwiseIsNoticed() {
    for (HotPath path : List.of(HotPath.READ_A_WORD, HotPath.COMMIT, HotPath.READ_MANY_WORDS)) {
      List<Decision> good = asExpected(path);
      for (int i = 1; i < good.size(); i++) {
        List<Decision> decisions = new ArrayList<>(good);
        Decision former = good.get(i);
        decisions.set(
            i,
            new Decision(
                UNIT, former.caller(), former.callee(), !former.isInlined(), "of the JVM"));
        assertThat(otherwise(path, decisions))
            .singleElement()
            .satisfies(
                verdict -> {
                  assertThat(verdict.outcome()).isEqualTo(Outcome.OTHERWISE);
                  assertThat(verdict.call().callee()).isEqualTo(former.callee());
                  assertThat(verdict.why()).contains(UNIT).contains("of the JVM");
                });
      }
    }
  }

  @Test
  void aCallThatIsNowhereIsNoticed() {
    List<Decision> decisions = asExpected(HotPath.READ_A_WORD);
    Decision gone = decisions.remove(1);
    assertThat(otherwise(HotPath.READ_A_WORD, decisions))
        .singleElement()
        .satisfies(
            verdict -> {
              assertThat(verdict.outcome()).isEqualTo(Outcome.NOT_SEEN);
              assertThat(verdict.call().callee()).isEqualTo(gone.callee());
            });
  }

  /** Else a path that must not be inlined would pass for ever after a method is renamed. */
  @Test
  void everyMethodExists() throws Exception {
    List<String> packages =
        List.of(
            "io.howdah.txn.stm",
            "io.howdah.txn.words",
            "io.howdah.log.commit",
            "io.howdah.log.ring",
            "io.howdah.checkpoint",
            "io.howdah.core.layout",
            "io.howdah.core.storage.file");
    for (HotPath path : HotPath.values()) {
      for (HotCall call : path.calls()) {
        assertThat(methods(packages, call.caller())).contains(call.caller());
        assertThat(methods(packages, call.callee())).contains(call.callee());
      }
    }
  }

  private static Set<String> methods(List<String> packages, String name) {
    String simple = name.substring(0, name.indexOf('.'));
    Set<String> methods = new HashSet<>();
    for (String each : packages) {
      try {
        for (Class<?> type = Class.forName(each + "." + simple);
            type != null;
            type = type.getSuperclass()) {
          for (Method method : type.getDeclaredMethods()) {
            methods.add(simple + "." + method.getName());
          }
        }
      } catch (ClassNotFoundException _) {
        // It is in another package.
      }
    }
    return methods;
  }

  @Test
  void aCallThatIsHardlyEverReachedNeedNotBeInlined() {
    List<Decision> decisions = asExpected(HotPath.READ_A_WORD);
    decisions.add(
        new Decision(UNIT, "TxHandle.getLong", "Words.get", false, "low call site frequency"));
    assertThat(otherwise(HotPath.READ_A_WORD, decisions)).isEmpty();
  }

  @Test
  void otherMethodsThatReadWordsDoNotCount() {
    List<Decision> decisions = asExpected(HotPath.READ_A_WORD);
    decisions.add(new Decision("Other.body", "TxHandle.getLong", "Words.get", false, "too big"));
    assertThat(otherwise(HotPath.READ_A_WORD, decisions)).isEmpty();
  }

  @Test
  void theCompilerIsHeard(@TempDir Path folder) throws Exception {
    StudyProgress silent =
        new StudyProgress() {
          @Override
          public void begins(String part) {}

          @Override
          public Rounds.Progress rounds(String what) {
            return (_, _, _) -> {};
          }
        };
    InliningStudy.Result result = InliningStudy.run(folder, new Effort(1, 300_000_000L), silent);
    assertThat(result.paths()).hasSize(HotPath.values().length);
    assertThat(result.paths())
        .allSatisfy(
            path ->
                assertThat(path.verdicts())
                    .hasSizeGreaterThanOrEqualTo(path.path().calls().size()));
  }
}
