package io.howdah.crashtest.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The load and its model agree, and one operation too few is seen. */
final class SoakContentTest {

  private static final int WORKERS = 2;
  private static final long SEED = 7;

  private long now = 1;
  private final InstantSource clock = () -> Instant.ofEpochMilli(now);
  private final List<SoakModel> models = new ArrayList<>();

  private SoakContentTest() {
    for (int worker = 0; worker < WORKERS; worker++) {
      models.add(new SoakModel(new SoakWork(SEED, worker)));
    }
  }

  private Store store() {
    return Store.inMemory(
        StoreOptions.defaults()
            .withMaxSize(1 << 25)
            .withOrecs(1 << 14)
            .withPartitions(2)
            .withClock(clock));
  }

  private SoakContent run(Store store, long operations, long lost) {
    SoakStore soak = SoakStore.over(store, WORKERS, clock);
    for (int worker = 0; worker < WORKERS; worker++) {
      SoakWork work = new SoakWork(SEED, worker);
      for (long n = 1; n <= operations; n++) {
        now++;
        if (worker != 1 || n != lost) {
          soak.run(work, n);
        }
      }
      models.get(worker).advance(operations);
    }
    return SoakContent.of(soak, clock);
  }

  @Test
  void theStoreHoldsWhatTheModelSays() {
    try (Store store = store()) {
      SoakContent content = run(store, 6000, 0);
      assertThat(content.differences(models)).isEmpty();
      assertThat(content.done(1)).isEqualTo(6000);
      // Every part has something in it, or its comparison would show nothing.
      for (SoakPart part : SoakPart.values()) {
        assertThat(content.digest(0, part)).as("%s", part).isNotZero();
      }
    }
  }

  @Test
  void anOperationThatIsMissingIsSeen() {
    try (Store store = store()) {
      assertThat(run(store, 300, 299).differences(models)).isNotEmpty();
    }
  }
}
