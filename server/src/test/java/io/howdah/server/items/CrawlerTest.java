package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.Item;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Turns in the background, and walks through all items that an administrator asks for. */
final class CrawlerTest {

  private static final int COUNT = 3000;

  /** What one step looks at: so many, or a batch more. */
  private static final int STEP = 1 << 10;

  private long now = 1_700_000_000;
  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20));
  private final ItemStore items =
      new ItemStore(store, new ItemStoreOptions(16 << 20, true, null, () -> now));
  private final Crawler crawler = new Crawler(items);
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  @AfterEach
  void close() {
    store.close();
  }

  private void fillWithWhatIsGone() {
    ConnectionCache cache = items.connect();
    for (int i = 0; i < COUNT; i++) {
      byte[] key = ("key-" + i).getBytes(StandardCharsets.US_ASCII);
      cache.update(key, _ -> new Item(0, now + 10, Item.NEW_CAS, 0, new byte[8]));
    }
    now += 10;
  }

  private void step() {
    tasks.remove().run();
  }

  private String row(String name) {
    Map<String, String> rows = new HashMap<>();
    crawler.statistics(rows::put);
    crawler.settings(rows::put);
    items.statistics(rows::put);
    return rows.getOrDefault(name, "none");
  }

  private long checked() {
    return Long.parseLong(row("crawler_items_checked"));
  }

  @Test
  void aCrawlGoesThroughAllItemsStepByStep() {
    fillWithWhatIsGone();
    crawler.setSleepMicros(0);
    assertThat(crawler.crawl(tasks::add)).isTrue();
    assertThat(row("lru_crawler_running")).isEqualTo("1");
    assertThat(checked()).isZero();
    assertThat(crawler.crawl(tasks::add)).as("one goes on").isFalse();
    assertThat(tasks).hasSize(1);
    int steps = 0;
    while (!tasks.isEmpty()) {
      long before = checked();
      step();
      steps++;
      // A batch of a walk may end with the bucket that it is in.
      assertThat(checked() - before).isBetween(tasks.isEmpty() ? 1L : STEP / 2, STEP * 3L / 2);
    }
    assertThat(steps).isBetween(2, 6);
    assertThat(items.size()).isZero();
    assertThat(checked()).isEqualTo(COUNT);
    assertThat(row("lru_crawler_running")).isEqualTo("0");
    assertThat(row("lru_crawler_starts")).isEqualTo("1");
    assertThat(crawler.crawl(tasks::add)).isTrue();
    assertThat(row("lru_crawler_starts")).isEqualTo("2");
  }

  @Test
  void aCrawlEndsAtItsLimit() {
    fillWithWhatIsGone();
    crawler.setLimit(Sweep.BATCH);
    assertThat(row("lru_crawler_tocrawl")).isEqualTo("64");
    assertThat(crawler.crawl(tasks::add)).isTrue();
    step();
    assertThat(tasks).isEmpty();
    assertThat(checked()).isBetween((long) Sweep.BATCH, 2L * Sweep.BATCH);
    assertThat(items.size()).isEqualTo(COUNT - checked());
    assertThat(row("lru_crawler_running")).isEqualTo("0");
  }

  @Test
  void aCrawlRestsBetweenItsSteps() {
    fillWithWhatIsGone();
    crawler.setSleepMicros(300_000);
    assertThat(row("lru_crawler_sleep")).isEqualTo("300000");
    assertThat(crawler.crawl(tasks::add)).isTrue();
    LockSupport.parkNanos(1); // takes the wake-up that an earlier test may have left to this thread
    long start = System.nanoTime();
    step();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(250));
  }

  @Test
  void aCrawlEndsWhenTheCrawlerIsSwitchedOff() {
    fillWithWhatIsGone();
    assertThat(crawler.crawl(tasks::add)).isTrue();
    step();
    assertThat(row("lru_crawler")).isEqualTo("yes");
    crawler.enable(false);
    assertThat(row("lru_crawler")).isEqualTo("no");
    long before = checked();
    step();
    assertThat(tasks).isEmpty();
    assertThat(checked()).isEqualTo(before);
    assertThat(row("lru_crawler_running")).isEqualTo("0");
  }

  @Test
  void anotherCrawlMayBeginAfterOneThatCouldNot() {
    assertThatThrownBy(
            () ->
                crawler.crawl(
                    _ -> {
                      throw new RejectedExecutionException("the server stops");
                    }))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(row("lru_crawler_running")).isEqualTo("0");
    assertThat(crawler.crawl(tasks::add)).isTrue();
  }

  @Test
  void aTurnRemovesWhatIsGoneUnlessTheCrawlerIsSwitchedOff() {
    fillWithWhatIsGone();
    crawler.enable(false);
    crawler.turn(COUNT);
    assertThat(items.size()).isEqualTo(COUNT);
    crawler.enable(true);
    assertThat(crawler.isEnabled()).isTrue();
    crawler.turn(STEP);
    assertThat(items.size()).isBetween(1L, (long) COUNT - STEP / 2);
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (items.size() > 0 && System.nanoTime() < deadline) {
      crawler.turn(STEP);
    }
    assertThat(items.size()).isZero();
  }
}
