package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.ImageSums;
import io.howdah.checkpoint.RegionImage;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.file.Regions;
import io.howdah.core.superblock.Geometry;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An image that several threads load, and what becomes of them if one of them fails. */
class ImageLoadTest {

  private static final int PAGE = 4096;
  private static final int STRIPE = 8 << 20;
  private static final int IMAGE = 5 * STRIPE;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.roundRobin(1))
          .processors(2)
          .maxSteps(10_000)
          .virtualThreads()
          .build();
  private final SimulatedDisk disk = SimulatedDisk.builder(3).execution(execution).build();
  private final HeldResources resources = new HeldResources(disk.storage());
  private final Region region = Regions.anonymous(IMAGE);

  @BeforeEach
  void createImage() {
    RegionImage.create(
        disk.storage(), new StoreId(1, 2), new Geometry(1, 1 << 16, IMAGE, 1024, 32, PAGE));
  }

  @AfterEach
  void end() {
    region.close();
  }

  private void put(long address, long value) {
    ByteBuffer word = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
    try (StorageFile file = disk.storage().open(ImageFile.NAME, Storage.Access.READ_WRITE)) {
      file.write(address, word.putLong(0, value));
    }
  }

  private SimulationOutcome load(long endBytes, boolean checked) {
    SimulationOutcome outcome =
        execution.run(
            () -> {
              ImageLoad.load(resources.storage(), region, endBytes, PAGE, checked, execution);
              execution.parkNanos(this, 1_000_000); // for threads that have ended to be gone
            });
    assertThat(resources.held()).isEmpty();
    assertThat(outcome.leftover()).isEmpty();
    return outcome;
  }

  private void requireLoaded(long endBytes) {
    for (long address = 0; address < IMAGE; address += STRIPE / 2) {
      for (long at : new long[] {address, address + STRIPE / 2 - 8}) {
        assertThat(region.getLong(at)).as("%d", at).isEqualTo(at < endBytes ? at + 1 : 0);
      }
    }
  }

  private void fill() {
    for (long address = 0; address < IMAGE; address += STRIPE / 2) {
      put(address, address + 1);
      put(address + STRIPE / 2 - 8, address + STRIPE / 2 - 7);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, PAGE, STRIPE + PAGE, 3L * STRIPE, IMAGE})
  void allOfItIsThereUpToItsEnd(long endBytes) {
    fill();
    load(endBytes, false);
    requireLoaded(endBytes);
  }

  /** The caller is one of them; for a stripe of its own each. */
  @ParameterizedTest
  @CsvSource({"40960, 1", "16777216, 2", "41943040, 4"})
  void thereAreTwiceAsManyThreadsAsProcessorsIfThereIsSoMuch(long endBytes, int threads) {
    load(endBytes, false);
    assertThat(disk.operations(Operation.OPEN)).isEqualTo(2L * threads);
  }

  private HowdahException failure(boolean checked) {
    AtomicReference<HowdahException> found = new AtomicReference<>();
    execution.run(
        () ->
            found.set(
                catchThrowableOfType(
                    HowdahException.class,
                    () ->
                        ImageLoad.load(
                            resources.storage(), region, IMAGE, PAGE, checked, execution))));
    assertThat(resources.held()).as("of the caller and of all threads").isEmpty();
    return Objects.requireNonNull(found.get());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 4})
  void aDamagedPageOfAnyStripeIsFound(int stripe) {
    disk.flipBit(ImageFile.NAME, (long) stripe * STRIPE + 5 * PAGE, 1);
    long damaged = (long) stripe * STRIPE + 5 * PAGE;
    assertThat(failure(true))
        .isInstanceOfSatisfying(
            CorruptStoreException.class,
            e -> {
              assertThat(e.file()).isEqualTo(ImageFile.NAME);
              assertThat(e.offset()).isEqualTo(damaged);
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 20})
  void aPageThatCannotBeReadEndsTheLoading(int read) {
    disk.inject(Fault.onNth(Operation.READ, read).in(ImageFile.NAME));
    assertThat(failure(false)).isInstanceOf(StorageException.class);
    assertThat(disk.operations(Operation.READ)).as("nobody loads for nothing").isLessThan(40);
  }

  @Test
  void sumsThatAreMissingEndTheLoading() {
    disk.remove(ImageSums.NAME);
    assertThat(failure(true)).hasMessageContaining(ImageSums.NAME);
  }
}
