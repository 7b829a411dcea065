package io.howdah;

import io.howdah.archive.Archive;
import io.howdah.checkpoint.BackupResult;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.SchemaReport;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.PersistentCollections;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.core.Execution;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.core.storage.file.MachineMemory;
import io.howdah.log.RedoLog;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.objects.Orphans;
import io.howdah.objects.PersistentTypes;
import io.howdah.store.archive.ArchiveThread;
import io.howdah.store.archive.Archiving;
import io.howdah.store.export.StoreExport;
import io.howdah.store.export.StoreImport;
import io.howdah.store.export.Transferred;
import io.howdah.store.open.BackupMark;
import io.howdah.store.open.OpenedStore;
import io.howdah.store.open.StoreLookup;
import io.howdah.store.open.UninterruptedCall;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.Transactions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Inspects and maintains an open store: checkpoints, backups, statistics, and what it holds; from
 * {@link Store#admin}. {@link StoreBackups} does what needs no open store, {@link AdminClient} asks
 * a store that another process has open.
 *
 * <p>All methods throw {@link io.howdah.core.StoreClosedException} once the store was closed,
 * except {@link #options}, {@link #lastStop} and {@link #recoveryReport}. Thread-safe.
 */
public final class StoreAdmin {

  private static final TxOptions EXPORTING = TxOptions.async().withReadOnly();

  private final StoreOptions options;
  private final @Nullable Path directory;
  private final TxEnvironment engine;
  private final Lifecycle lifecycle;
  private final Transactor transactor;
  private final DurabilityWaits waits;
  private final Transactions transactions;
  private final Catalogue catalogue;
  private final PersistentTypes types;
  private final PersistentCollections collections;
  private final @Nullable RedoLog log;
  private final @Nullable CheckpointThread checkpoints;
  private final @Nullable Archiving archiving;
  private final @Nullable RecoveryReport recovery;

  StoreAdmin(
      OpenedStore opened,
      StoreOptions options,
      @Nullable Path directory,
      TxEnvironment engine,
      Transactor transactor,
      DurabilityWaits waits,
      Transactions transactions,
      Catalogue catalogue,
      PersistentTypes types,
      PersistentCollections collections) {
    this.options = options;
    this.directory = directory;
    this.engine = engine;
    this.lifecycle = engine.lifecycle();
    this.transactor = transactor;
    this.waits = waits;
    this.transactions = transactions;
    this.catalogue = catalogue;
    this.types = types;
    this.collections = collections;
    this.log = opened.log();
    this.checkpoints = opened.checkpoints();
    this.archiving = opened.archiving();
    this.recovery = opened.recovery();
  }

  /**
   * Returns what classes of a program would make of the records, enums and sealed interfaces that
   * the store has, and changes nothing: the rehearsal of a release, on a backup or a store that is
   * open for reading only. The codecs are those of {@link StoreOptions#withCodecs}. Classes that
   * the store does not know are passed over. Keys of maps and elements of sets, whose types cannot
   * change, and types of objects are not part of it.
   *
   * @param classes of the program; those that these contain are found by themselves
   */
  public SchemaReport checkSchema(Collection<? extends Class<?>> classes) {
    return transactions.read(tx -> collections.schemaCheck(tx)).of(classes);
  }

  /** Returns the names of all types of objects, in their order, with their properties. */
  public SortedMap<String, String> types(Tx tx) {
    return types.describe(tx);
  }

  /**
   * Returns the properties of an object, for tools that do not have its interface: numbers,
   * booleans, characters, strings, {@code byte[]}, names of constants; a {@link
   * io.howdah.objects.StoredReference} for a reference, a list for an array, a map for an embedded
   * object.
   *
   * @param type a name that {@link #types} has
   * @param reference as {@link io.howdah.objects.PersistentType#address} returns it
   * @return in the order in which the type got them; empty if that object is no longer there
   * @throws IllegalArgumentException if the store has no such type; the transaction has ended
   */
  public Optional<Map<String, @Nullable Object>> properties(Tx tx, String type, long reference) {
    return types.properties(tx, type, reference);
  }

  /** Returns the names of all collections, in their order, with what each is. */
  public SortedMap<String, String> collections(Tx tx) {
    return collections.names(tx);
  }

  /**
   * Returns what the store holds and how much room it takes. Goes through all blocks and trees in
   * one read-only transaction, so it takes time in the order of their number. Every node of every
   * tree is verified, and the account of every cache is compared with its entries.
   *
   * @throws io.howdah.core.CorruptStoreException if a node of a tree is damaged, or an account is
   *     wrong
   */
  public StoreInspection inspect() {
    return transactor.read(
        TxOptions.async().withReadOnly(), new Inspector(engine, catalogue, types)::inspect);
  }

  /**
   * Returns how much space is used, free and reclaimable. Reads what describes the pages and the
   * slabs in one read-only transaction: about a five-hundredth of the space, and a page for each
   * slab.
   */
  public StoreSpace space() {
    return transactor.read(
        TxOptions.async().withReadOnly(), new Inspector(engine, catalogue, types)::space);
  }

  /**
   * Returns how much of the store's memory is in large pages of the processor, of 2 MiB on most,
   * which make accesses at random addresses faster. With {@code --enable-native-access} a store has
   * them, if the system allows them, for all that it grows by while it is open, and with {@link
   * io.howdah.core.Backing#RESIDENT} for all of it. Asks the system, which takes milliseconds.
   *
   * @return bytes; empty where the system does not tell
   */
  public OptionalLong largePageBytes() {
    lifecycle.requireOpen();
    return engine.region().largePageBytes();
  }

  /**
   * Returns the objects that nothing in the store leads to, by type, in the order of the types'
   * names. A program has lost them, unless it keeps their addresses elsewhere.
   *
   * <p>An object is led to by the number that {@link io.howdah.objects.PersistentType#address}
   * gives of it, wherever that stands: in a root; at any byte of a named collection; in a
   * reference, an {@link io.howdah.objects.Owned} property or another number of an object, or in a
   * block of the word level, if something leads to these. It is not found in compressed or
   * encrypted values, in texts, in the strings and bytes of objects, in other files, or in the
   * memory of a program. A block of the word level that nothing leads to may be taken for an object
   * if its first word and its length are those of one.
   *
   * <p>Reads all blocks in one read-only transaction and changes nothing. Takes time in the order
   * of the bytes in use, and memory for a 32nd of them and 8 MiB.
   *
   * @throws io.howdah.txn.SnapshotLostException if transactions meanwhile overwrite more than the
   *     store keeps for readers; search again when fewer run, or in a backup
   */
  public List<Orphans> orphans() {
    return transactor.read(
        TxOptions.async().withReadOnly(), tx -> Orphans.find(tx, types, catalogue));
  }

  /**
   * Opens a map that is there to read it, without the declarations of its indexes: for tools that
   * do not have the classes of the program. Whatever would change an entry throws {@link
   * CollectionMismatchException}. Do not call it in a body.
   *
   * @param keys the codec of the keys, or one of the same name that reads the same bytes
   * @param values likewise
   * @throws CollectionMismatchException if there is no map of that name with such keys and values
   */
  public <K, V> PersistentMap<K, V> mapToRead(String name, Codec<K> keys, Codec<V> values) {
    return collections.mapToRead(name, keys, values);
  }

  /** Opens a sorted map to read it; see {@link #mapToRead}. */
  public <K, V> PersistentSortedMap<K, V> sortedMapToRead(
      String name, OrderedCodec<K> keys, Codec<V> values) {
    return collections.sortedMapToRead(name, keys, values);
  }

  /**
   * Drops a collection with all it holds, in one transaction, which goes through all of it.
   *
   * @return whether there was one of that name
   */
  public boolean drop(String name) {
    return collections.drop(name);
  }

  /**
   * Returns how the opening before this one had ended.
   *
   * @throws IllegalStateException if the store is in memory: there was none
   */
  public LastStop lastStop() {
    return switch (recoveryReport().outcome()) {
      case RecoveryOutcome.Clean _ -> LastStop.CLEAN;
      case RecoveryOutcome.AfterKill _ -> LastStop.KILL;
      case RecoveryOutcome.AfterPowerCut _ -> LastStop.POWER_CUT;
    };
  }

  /**
   * Returns whether this opening has used the memory of the process before ({@link
   * io.howdah.core.Backing#SHARED}), so that all data was in memory at once.
   *
   * @throws IllegalStateException if the store is in memory: there was nothing to recover
   */
  public boolean isWarmRestart() {
    return recoveryReport().memory() instanceof MemoryOrigin.Attached;
  }

  /**
   * Returns what opening the store came upon.
   *
   * @throws IllegalStateException if the store is in memory: there was nothing to recover
   */
  public RecoveryReport recoveryReport() {
    if (recovery == null) {
      throw new IllegalStateException("a store in memory recovers nothing");
    }
    return recovery;
  }

  /**
   * Returns how far the replay of the log is. A store that was not closed serves before all that
   * its log holds is in memory; until then a first access to a part of the data may take some
   * milliseconds, and no checkpoint is taken.
   */
  public ReplayStats replayStats() {
    DeferredReplay replay = engine.replay();
    if (replay == null) {
      return ReplayStats.NONE;
    }
    boolean done = replay.isDone(); // first: then no words are left beside it
    return new ReplayStats(
        new ReplayStats.Values(
            replay.words(),
            replay.wordsLeft(),
            replay.onDemandChunks(),
            Duration.ofNanos(replay.nanos()),
            done));
  }

  /**
   * Takes a checkpoint now, beside running transactions, and waits for it. Afterwards a crash costs
   * the replay of what was committed since the call began. The store takes checkpoints by itself as
   * {@link StoreOptions#recoveryGoal} demands, so this is for moments of one's own choice.
   *
   * <p>The wait has no timeout: it ends with the checkpoint, when the store is closed or stops, or
   * with the exception below. How long it takes is up to the disk, to commits under way, and to a
   * backup that was asked for before.
   *
   * @return what it did
   * @throws IllegalStateException if the store is in memory, or takes no checkpoints
   * @throws ReadOnlyStoreException if the store is open for reading only
   * @throws io.howdah.core.storage.StorageException if the disk is full, or too many files are
   *     open; the store goes on, with all of its log, and tries again every second
   */
  public CheckpointReport checkpoint() {
    return CheckpointReport.of(checkpoints().checkpoint());
  }

  /**
   * Returns where the checkpoints stand.
   *
   * @throws IllegalStateException if there are none, as in memory
   */
  public CheckpointStats checkpointStats() {
    CheckpointThread thread = checkpoints();
    RedoLog redo = Objects.requireNonNull(log, "a store with checkpoints has a log");
    CheckpointThread.Failures failures = thread.failures();
    return new CheckpointStats(
        new CheckpointStats.Values(
            thread.checkpoints(),
            thread.isRunning(),
            thread.replayBytes(),
            Duration.ofNanos(thread.replayNanos()),
            redo.retainedBytes(),
            redo.maxBytes(),
            redo.isBlocked(),
            redo.timesBlocked(),
            failures.count(),
            Optional.ofNullable(failures.problem()),
            Optional.ofNullable(thread.lastResult()).map(CheckpointReport::of)));
  }

  private CheckpointThread checkpoints() {
    lifecycle.requireOpen();
    if (engine.isReadOnly()) {
      throw new ReadOnlyStoreException(
          "a store that is open for reading only has no checkpoints and makes no backups;"
              + " StoreBackups.restore copies one that no process has open for writing");
    }
    CheckpointThread checkpoints = this.checkpoints;
    if (checkpoints == null) {
      throw new IllegalStateException("a store in memory has no checkpoints");
    }
    return checkpoints;
  }

  /**
   * Copies the store to another directory, while transactions go on: a checkpoint, then the log
   * that was written since. The copy is a store like any other, to be opened by {@link
   * Store#open(Path)} or to be restored from as of an LSN ({@link StoreBackups#restore}). What is
   * copied is checked: of the image every page, of the log every record. The wait has no timeout,
   * as in {@link #checkpoint}.
   *
   * @param directory absent or empty; a copy that failed leaves nothing there, or if that fails,
   *     too, files and no store
   * @return what it holds
   * @throws io.howdah.core.CorruptStoreException if a file of the store is damaged where it lies;
   *     names file and offset; the store goes on
   * @throws IllegalArgumentException if the directory is the store's own, or lies in it; nothing is
   *     touched
   * @throws UnsupportedStoreException if the directory holds something; nothing is touched
   * @throws IllegalStateException if the store is in memory, or takes no checkpoints
   * @throws io.howdah.core.storage.StorageException if a file cannot be read or written; the store
   *     goes on
   */
  public BackupReport backup(Path directory) {
    checkpoints();
    if (this.directory != null) {
      FileStorage.requireOutside(this.directory, directory);
    }
    return backup(() -> FileStorage.open(directory));
  }

  /**
   * Copies the store to a place that is no directory of the file system, and closes that. For
   * tests, as {@link StoreOptions#withStorage} is.
   *
   * @param storage opens the place, which is empty, on a thread of the store's own
   */
  public BackupReport backup(Supplier<Storage> storage) {
    CheckpointThread thread = checkpoints();
    BackupResult result =
        UninterruptedCall.call(
            options.execution(),
            "howdah-backup",
            () -> {
              try (Storage target = storage.get()) {
                StoreLookup.requireEmpty(target);
                BackupResult made = thread.backup(target);
                BackupMark.write(target, made.lsn());
                return made;
              }
            });
    return new BackupReport(
        new BackupReport.Values(
            result.lsn(), result.fromLsn(), result.bytes(), Duration.ofNanos(result.nanos())));
  }

  /**
   * Writes all named structures to a file of its own format, as of one moment, while transactions
   * go on: the way to a store of another format, and out of Howdah. {@link #importFrom} reads it.
   *
   * <p>It needs no codecs: keys, values and elements are copied as the bytes that their codecs have
   * made, and with them indexes, change journals with their positions, times when entries expire,
   * and the shapes of records, enums and sealed interfaces. It holds no persistent objects and no
   * roots.
   *
   * @param directory absent or empty; it gets the file {@code export.howdah}
   * @return what was written
   * @throws UnsupportedStoreException if the directory holds something; if the store has persistent
   *     objects or roots, or an import into it has not ended; nothing is left there
   * @throws io.howdah.txn.SnapshotLostException if transactions meanwhile overwrite more than the
   *     store keeps for readers; export when fewer run, or export a backup
   * @throws io.howdah.core.storage.StorageException if the file cannot be written; it is removed as
   *     far as that is possible
   */
  public ExportReport export(Path directory) {
    return export(() -> FileStorage.open(directory), true);
  }

  /**
   * Does the same with a store that has persistent objects or roots, which are left out.
   *
   * @throws UnsupportedStoreException also if keys, values or elements have references to objects
   */
  public ExportReport exportWithoutObjects(Path directory) {
    return export(() -> FileStorage.open(directory), false);
  }

  ExportReport export(Supplier<Storage> directory, boolean isWhole) {
    lifecycle.requireOpen();
    return ExportReport.of(
        UninterruptedCall.call(
            options.execution(),
            "howdah-export",
            () -> {
              try (Storage target = directory.get()) {
                StoreLookup.requireEmpty(target);
                Execution execution = options.execution();
                UUID id = new UUID(execution.randomLong(), execution.randomLong());
                return new StoreExport(collections.raw(), target, id)
                    .write(body -> transactor.read(EXPORTING, tx -> export(tx, isWhole, body)));
              }
            }));
  }

  private Transferred export(Tx tx, boolean isWhole, Function<Tx, Transferred> body) {
    boolean hasObjects = !types.describe(tx).isEmpty();
    for (int root = 0; root < RegionHeaderLayout.ROOTS; root++) {
      hasObjects |= tx.root(root) != 0;
    }
    if (isWhole && hasObjects) {
      throw new UnsupportedStoreException(
          "the store has types of persistent objects, or roots, which an export does not contain. A backup contains them: StoreAdmin.backup and StoreBackups.restore, or howdah backup"
              + " and howdah restore. For a store of another format, leave them out by"
              + " StoreAdmin.exportWithoutObjects, or howdah export --without-objects, and copy them"
              + " by a program");
    }
    return body.apply(tx);
  }

  /**
   * Fills a store from an export: with all its structures, which have the same content afterwards.
   * The whole file is checked before anything is changed. Each transaction copies a part, about 256
   * KiB, and notes how far the import has come. So one that was interrupted, at any moment, is
   * continued by the same call. Until it has returned, open no structure by its name.
   *
   * @param directory of the export
   * @return what was imported, by this call and those that were interrupted
   * @throws io.howdah.core.CorruptStoreException if the file is damaged; names it and the offset
   * @throws UnsupportedStoreException if there is no export, or one of another format; if the store
   *     has a structure or a type of the same name already, or the import of another export into it
   *     has not ended; nothing was changed
   * @throws ReadOnlyStoreException if the store is open for reading only
   */
  public ExportReport importFrom(Path directory) {
    return importFrom(
        () ->
            FileStorage.open(
                directory, FileStorageOptions.DEFAULT.withCreate(false).withReadOnly(true)));
  }

  ExportReport importFrom(Supplier<Storage> directory) {
    lifecycle.requireOpen();
    if (engine.isReadOnly()) {
      throw new ReadOnlyStoreException(
          "the store is open for reading only, so nothing can be imported into it");
    }
    return ExportReport.of(
        UninterruptedCall.call(
            options.execution(),
            "howdah-import",
            () -> {
              try (Storage source = directory.get()) {
                return new StoreImport(transactions, collections, source).run();
              }
            }));
  }

  /**
   * Starts to archive the store; see {@link StoreOptions#withArchive}.
   *
   * @throws IllegalStateException if it has an archive already, or is in memory
   * @throws IllegalArgumentException if the archive lies in the store's directory
   * @throws ReadOnlyStoreException if the store is open for reading only
   */
  public void startArchive(Archive archive) {
    Archiving archives = archiving();
    requireOutside(directory, archive);
    archives.start(archive);
  }

  /** Refuses an archive in the directory of its store. */
  static void requireOutside(@Nullable Path store, Archive archive) {
    if (store != null && archive.directory().isPresent()) {
      FileStorage.requireOutside(store, archive.directory().get());
    }
  }

  /**
   * Copies to the archive what is durable by now, and ends it. Waits for its place for ten seconds
   * at most.
   *
   * @return whether there was an archive
   */
  public boolean stopArchive() {
    return archiving().stop();
  }

  /**
   * Brings the archive up to date now, with a complete base, and waits for it without a timeout.
   *
   * @return how far the archive is
   * @throws IllegalStateException if the store has no archive
   * @throws io.howdah.core.HowdahException if it could not be written; it is tried again later
   */
  public ArchiveStatus updateArchive() {
    ArchiveThread thread =
        archiving()
            .current()
            .orElseThrow(() -> new IllegalStateException("the store has no archive"));
    thread.update();
    return new ArchiveStatus(thread.state());
  }

  /** Returns how far the archive is; empty if there is none. */
  public Optional<ArchiveStatus> archive() {
    return archiving().current().map(thread -> new ArchiveStatus(thread.state()));
  }

  private Archiving archiving() {
    checkpoints();
    return Objects.requireNonNull(archiving, "a store with checkpoints may have an archive");
  }

  /** Returns how the store was opened. */
  public StoreOptions options() {
    return options;
  }

  /** Returns counters and gauges. */
  public StoreStats stats() {
    lifecycle.failIfStopped();
    try {
      return readStats();
    } catch (IllegalStateException e) {
      throw waits.explainStop(e);
    }
  }

  private StoreStats readStats() {
    long[] counters = transactor.counters();
    long lsn = engine.lanes().clock();
    return new StoreStats(
        new StoreStats.Values(
            counters[Counters.COMMITS],
            counters[Counters.READ_ONLY_COMMITS],
            StoreStats.aborts(counters),
            counters[Counters.IRREVOCABLE],
            transactor.isIrrevocableRunning() ? 1 : 0,
            counters[Counters.EXTENSIONS],
            counters[Counters.VOIDS],
            counters[Counters.MULTIPART_COMMITS],
            counters[Counters.DEPENDENT_COMMITS],
            counters[Counters.RETRIES],
            collections.reclaimedEntries(),
            collections.subscriptions(),
            collections.endedSubscriptions(),
            collections.subscriptionLag(engine.region()::getLongOpaque),
            lsn,
            waits.stableLsn(),
            log == null ? Duration.ZERO : Duration.ofNanos(log.oldestUnstableNanos()),
            log == null ? 0 : log.stats().batches(),
            log == null ? Optional.empty() : Optional.ofNullable(log.stall()),
            engine.heap().maxBytes(),
            engine.region().getLongOpaque(RegionHeaderLayout.TOP_ADDRESS),
            engine.region().capacityBytes(),
            MachineMemory.heldBytes(),
            MachineMemory.usableBytes()));
  }
}
