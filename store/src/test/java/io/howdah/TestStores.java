package io.howdah;

import io.howdah.collections.catalogue.Catalogue;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.objects.PersistentTypes;
import io.howdah.store.open.OpenedStore;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.words.OrecTable;
import java.util.function.Supplier;

/** Makes stores of what a test has put together. */
public final class TestStores {

  private TestStores() {}

  /** Returns the options of a small store on a simulated disk. */
  public static StoreOptions simulated(Storage storage, Execution execution) {
    return StoreOptions.defaults()
        .withMaxSize(1 << 20)
        .withOrecs(1 << 8)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
        .withStorage(storage)
        .withExecution(execution);
  }

  /** Returns a store in memory whose words are in this region, which it closes at its end. */
  public static Store inMemory(StoreOptions options, Region region) {
    return inMemory(
        options,
        region,
        Regions.anonymous(OrecTable.lengthBytes(options.orecs())),
        Regions.anonymous(CommitLanes.wordsLengthBytes(options.partitions())));
  }

  /** Returns a store in memory that has all it has in these regions, and closes them at its end. */
  public static Store inMemory(
      StoreOptions options, Region region, Region orecs, Region laneWords) {
    OrecTable table = new OrecTable(orecs, options.orecs());
    return inMemory(options, region, table, laneWords, orecs::close);
  }

  /**
   * Returns a store in memory.
   *
   * @param region of the words; it is closed with the store, as are the words of the lanes
   * @param alsoClosed is run at the end, too
   */
  public static Store inMemory(
      StoreOptions options, Region region, OrecTable orecs, Region laneWords, Runnable alsoClosed) {
    Lifecycle lifecycle = new Lifecycle();
    CommitLanes lanes =
        CommitLanes.unlogged(
            laneWords, options.partitions(), options.execution(), lifecycle::failIfStopped);
    OpenedStore opened =
        OpenedStore.inMemory(
            region,
            orecs,
            lanes,
            lifecycle,
            options.dimensions(),
            _ -> {
              region.close();
              alsoClosed.run();
              laneWords.close();
            });
    return new Store(opened, options);
  }

  /** Returns what a store's transactions work on. */
  public static TxEnvironment engine(Store store) {
    return store.engine();
  }

  /** Returns a store's types of objects. */
  public static PersistentTypes types(Store store) {
    return store.types();
  }

  /** Returns the names of a store's collections. */
  public static Catalogue catalogue(Store store) {
    return store.catalogue();
  }

  /** Returns what a store of these options keeps for its lifetime. */
  public static OpenedStore.Dimensions dimensions(StoreOptions options) {
    return options.dimensions();
  }

  /** Returns what is thrown if there is no memory to say more, and none for a smaller exception. */
  public static NotYetDurableException withoutMemory(Supplier<Receipt<?>> newest) {
    NotYetDurableException made = NotYetDurableException.withoutMemory(newest);
    NotYetDurableException again = made.of(null);
    if (!again.equals(made)) {
      throw new AssertionError("another exception was made");
    }
    return again;
  }
}
