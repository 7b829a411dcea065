package io.howdah.examples.crashtest;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.examples.Check;
import io.howdah.testkit.CrashExplorer;
import io.howdah.testkit.CrashReport;
import io.howdah.testkit.CrashScenario;
import io.howdah.testkit.CrashTestFailure;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.schedule.Schedule;
import java.util.function.Function;

/**
 * Crash-tests a program on a simulated machine: it dies at every operation on the disk, comes back
 * with every disk it legally may, and has to keep its promises. The careless version of the same
 * program is caught. In a JUnit test, {@code @CrashTest} does the same; see docs/testkit.md.
 */
public final class CrashTesting {

  private CrashTesting() {}

  /** Tests both programs. */
  public static void main(String[] args) {
    CrashReport report = explore(Wallet::new);
    System.out.printf(
        "wallet: died at %d moments, came back from %d disks, %d of them after a second crash: no"
            + " coin lost%n",
        report.points(), report.states(), report.crashesInRecovery());
    Check.that(report.states() > 100, "too few crashes to mean anything");
    try {
      explore(CarelessWallet::new);
    } catch (CrashTestFailure e) {
      System.out.println("careless wallet: " + e.getMessage());
      return;
    }
    throw new IllegalStateException("the careless wallet was not caught");
  }

  private static CrashReport explore(Function<Store, Wallet> program) {
    return CrashExplorer.seeded(7)
        .units(CrashUnit.SECTOR)
        .scheduled(_ -> Schedule.roundRobin(1))
        .points(40)
        .states(6)
        .recoveries(1, 2)
        .explore(() -> new Moves(program));
  }

  /** What the program does, and what it has promised by then. */
  private static final class Moves implements CrashScenario {

    private static final long STEP = 10;

    private final Function<Store, Wallet> program;
    private long moved;

    Moves(Function<Store, Wallet> program) {
      this.program = program;
    }

    @Override
    public void prepare(Machine machine) {
      try (Store store = open(machine)) {
        Check.that(program.apply(store).coins()[1] == 0, "a new wallet has moved coins");
      }
    }

    @Override
    public void work(Machine machine) {
      try (Store store = open(machine)) {
        Wallet wallet = program.apply(store);
        for (int i = 0; i < 3; i++) {
          wallet.move(STEP);
          moved += STEP; // only now is it promised
        }
      }
    }

    @Override
    public void check(Machine machine) {
      try (Store store = open(machine)) {
        long[] coins = program.apply(store).coins();
        Check.that(
            coins[0] + coins[1] == Wallet.COINS,
            "%d + %d coins are not %d".formatted(coins[0], coins[1], Wallet.COINS));
        Check.that(coins[1] >= moved, "%d coins moved, %d are there".formatted(moved, coins[1]));
      }
    }

    private static Store open(Machine machine) {
      return Store.open(
          StoreOptions.defaults()
              .withStorage(machine.storage())
              .withExecution(machine.execution())
              .withMaxSize(1 << 20)
              .withPartitions(1)
              .withRingBytes(1 << 16)
              .withLogSegmentBytes(1 << 16)
              .withOrecs(1 << 10));
    }
  }
}
