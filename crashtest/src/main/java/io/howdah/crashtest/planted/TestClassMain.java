package io.howdah.crashtest.planted;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.howdah.crashtest.scenario.ScenarioMain;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs one test class in a JVM of its own, by its full name, without its campaigns: what the build
 * would not run shall not catch a bug. Exit code 0 if all its tests passed, {@link
 * ScenarioMain#VIOLATED} if one failed, {@value #FAILED} if there was none to run.
 */
final class TestClassMain {

  private static final int FAILED = 3;
  private static final String CAMPAIGN = "campaign";

  private TestClassMain() {}

  public static void main(String[] args) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(args[0]))
                .filters(TagFilter.excludeTags(CAMPAIGN))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    summary.printFailuresTo(out, 3);
    out.printf(
        "%s: %d tests passed, %d failed%n",
        args[0], summary.getTestsSucceededCount(), summary.getTestsFailedCount());
    out.flush();
    int exit = summary.getTestsSucceededCount() == 0 ? FAILED : 0;
    // A class whose set-up fails has failures, but no failed tests.
    if (summary.getTotalFailureCount() > 0) {
      exit = ScenarioMain.VIOLATED;
    }
    // Not System.exit: a broken engine may have left threads that shutdown would wait for.
    Runtime.getRuntime().halt(exit);
  }
}
