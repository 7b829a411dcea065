package io.howdah.storetest;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashUnit;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Crash tests as users write them: of a service that keeps its promises, and of one that does not.
 */
final class StoreCrashTestTest {

  private static int runs;
  private static int deaths;

  @StoreCrashTest
  void coinsAreNeitherMadeNorLost(StoreCrash crash, CrashControl control) {
    runs++;
    deaths += control.isUndisturbed() ? 0 : 1;
    test(crash, Wallet::new);
  }

  @CrashTest(
      units = CrashUnit.SECTOR,
      kinds = CrashKind.KILL,
      points = 2,
      recoveryPoints = 0,
      preemptOneIn = 4)
  void theStoreHasTheOptionsOfTheTest(StoreCrash crash) {
    crash.options(options -> options.withMaxSize(2 << 20));
    crash.run(store -> assertThat(store.admin().options().maxSize()).isEqualTo(2 << 20));
    crash.check(store -> assertThat(store.admin().stats().capacityBytes()).isEqualTo(2 << 20));
  }

  @AfterAll
  static void itDiedAtManyMoments() {
    assertThat(runs).isEqualTo(41);
    assertThat(deaths).isEqualTo(40);
  }

  static void test(StoreCrash crash, Function<Store, Wallet> service) {
    long[] moved = {0};
    crash.prepare(store -> assertThat(service.apply(store).both()).isEqualTo(Wallet.COINS));
    crash.run(
        store -> {
          Wallet wallet = service.apply(store);
          for (int i = 0; i < 3; i++) {
            wallet.move(10);
            moved[0] += 10; // only now is it promised
          }
        });
    crash.check(
        store -> {
          Wallet wallet = service.apply(store);
          assertThat(wallet.both()).isEqualTo(Wallet.COINS);
          assertThat(wallet.right()).isGreaterThanOrEqualTo(moved[0]);
        });
  }

  /** Run by the tests below, not by the build. */
  static final class CarelessCase {
    @CrashTest(
        units = CrashUnit.SECTOR,
        kinds = CrashKind.KILL,
        points = 40,
        recoveryPoints = 0,
        preemptOneIn = 8)
    void coinsAreNeitherMadeNorLost(StoreCrash crash) {
      test(crash, Wallet.Careless::new);
    }
  }

  @Test
  void twoTransactionsWhereOneIsNeededAreFoundAndNothingIsPrinted() {
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    TestExecutionSummary summary;
    try {
      summary = run(CarelessCase.class);
    } finally {
      System.setErr(err);
    }
    assertThat(summary.getTestsSucceededCount()).isPositive();
    assertThat(summary.getFailures())
        .isNotEmpty()
        .allSatisfy(
            failure ->
                assertThat(failure.getException())
                    .hasMessageContaining("90")
                    .hasMessageContaining("replay: -Dhowdah.crash.replay=1/SECTOR/"));
    assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  /** Run by the test below, not by the build. */
  static final class ThreadedCase {
    @CrashTest(
        units = CrashUnit.SECTOR,
        kinds = CrashKind.KILL,
        points = 1,
        recoveryPoints = 0,
        preemptOneIn = 8)
    void aThreadOfItsOwnDoesTheWork(StoreCrash crash) {
      crash.run(
          store -> {
            Wallet wallet = new Wallet(store);
            Thread worker =
                Thread.ofPlatform()
                    .unstarted(
                        () -> {
                          try {
                            wallet.move(10);
                          } catch (IllegalStateException e) {
                            // a pool would swallow it like this
                          }
                        });
            worker.start();
            worker.join();
          });
      crash.check(store -> assertThat(new Wallet(store).both()).isEqualTo(Wallet.COINS));
    }
  }

  /** Or a test of a service whose threads do nothing would succeed. */
  @Test
  void aThreadThatTheSimulationDoesNotKnowFailsTheTest() {
    TestExecutionSummary summary = run(ThreadedCase.class);
    assertThat(summary.getTestsSucceededCount()).isZero();
    assertThat(summary.getFailures())
        .isNotEmpty()
        .allSatisfy(
            failure ->
                assertThat(failure.getException())
                    .hasMessageContaining("was not started by it")
                    .hasMessageContaining(
                        "start the threads of a program under test by its Execution"));
  }

  static TestExecutionSummary run(Class<?> tests) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(tests))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    return listener.getSummary();
  }
}
