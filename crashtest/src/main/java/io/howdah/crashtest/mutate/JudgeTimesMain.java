package io.howdah.crashtest.mutate;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs test classes one after the other, without their campaigns, and prints a line for each that
 * has ended: {@value #MARK}, its full name and its milliseconds of processor time (which other
 * processes do not change), {@value #FAILED} if a test failed. The first class runs twice, as the
 * JVM loads the engine with it; the second run counts. A class that takes too long ends the
 * process, with minus that time as its result; the caller starts another process for the classes
 * that are left.
 */
final class JudgeTimesMain {

  static final String MARK = "judge";
  static final long FAILED = -1;

  private JudgeTimesMain() {}

  /**
   * Runs them.
   *
   * @param args the milliseconds, above 1, by the clock after which a class is given up, and full
   *     names of test classes
   */
  public static void main(String[] args) throws InterruptedException {
    long maxMillis = Long.parseLong(args[0]);
    Launcher launcher = LauncherFactory.create();
    measure(launcher, args[1], maxMillis);
    for (int i = 1; i < args.length; i++) {
      print(args[i], measure(launcher, args[i], maxMillis));
    }
    // Not System.exit: a test may have left threads that shutdown would wait for.
    Runtime.getRuntime().halt(0);
  }

  private static long measure(Launcher launcher, String name, long maxMillis)
      throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    Thread watch = new Thread(() -> giveUp(name, maxMillis, done), "howdah-judge-watch");
    watch.setDaemon(true);
    watch.start();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long start = system.getProcessCpuTime();
    launcher.execute(
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(name))
            .filters(TagFilter.excludeTags("campaign"))
            .build(),
        listener);
    long nanos = system.getProcessCpuTime() - start;
    done.countDown();
    watch.join();
    return listener.getSummary().getTotalFailureCount() > 0
        ? FAILED
        : TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  private static void giveUp(String name, long maxMillis, CountDownLatch done) {
    try {
      if (!done.await(maxMillis, TimeUnit.MILLISECONDS)) {
        print(name, -maxMillis);
        Runtime.getRuntime().halt(0);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void print(String name, long millis) {
    System.out.println(MARK + "\t" + name + "\t" + millis);
    System.out.flush();
  }
}
