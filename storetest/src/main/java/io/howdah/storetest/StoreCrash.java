package io.howdah.storetest;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.Machine;
import java.util.function.UnaryOperator;

/**
 * A store on the simulated machine of a crash test: its files are on the simulated disk, its
 * threads and its clock are the schedule's. The parameter of a {@link StoreCrashTest}; that shows
 * how it is used. A {@code @CrashTest} may take it, too.
 *
 * <p>The service under test may have threads of its own only if it starts them by {@code
 * store.admin().options().execution()}, and it takes clock and random numbers from the test, so
 * that every run does the same. Not thread-safe.
 */
public final class StoreCrash {

  private final CrashControl crash;

  /** A small store: each crash is a run of its own. */
  private StoreOptions options =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10);

  /** Creates it for a crash; the test framework calls this. */
  public StoreCrash(CrashControl crash) {
    this.crash = crash;
  }

  /**
   * Changes the options of the store, of all its openings: larger, or with the service's codecs.
   * The default is 1 MiB in one partition.
   */
  public StoreCrash options(UnaryOperator<StoreOptions> change) {
    options = change.apply(options);
    return this;
  }

  /** Does what is to be there before the work begins. Nothing dies in it. At most once. */
  public void prepare(StoreBody body) {
    crash.prepare(() -> open(crash.machine(), body));
  }

  /**
   * Does the work, until it dies somewhere in it or is done. It notes what the service has
   * acknowledged, at once, outside of the store.
   *
   * @throws io.howdah.testkit.CrashTestFailure if it fails otherwise
   */
  public void run(StoreBody body) {
    crash.run(() -> open(crash.machine(), body));
  }

  /**
   * Opens the store again in each state that the crash may have left, and has it checked. The check
   * throws if the service has broken a promise. It must not change what it was told by the work.
   *
   * @throws io.howdah.testkit.CrashTestFailure if a check throws
   */
  public void check(StoreBody body) {
    crash.check(machine -> open(machine, body));
  }

  private void open(Machine machine, StoreBody body) throws Exception {
    StoreOptions here = options.withStorage(machine.storage()).withExecution(machine.execution());
    try (Store store = Store.open(here)) {
      body.use(store);
    }
  }
}
