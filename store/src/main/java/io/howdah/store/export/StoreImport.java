package io.howdah.store.export;

import io.howdah.codec.Codec;
import io.howdah.collections.MapOption;
import io.howdah.collections.PersistentCollections;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.RawCollections;
import io.howdah.collections.RawCollections.Described;
import io.howdah.collections.RawCollections.Item;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.ExportLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fills a store from an export. The whole file is checked before anything is changed. Then each
 * block is one transaction, which also notes the offset of the next block: an import that was
 * interrupted at any moment continues behind the last block that is in the store. For one thread.
 */
public final class StoreImport {

  /** Name of the map that says how far an import is; it is dropped at the end. */
  static final String PROGRESS = "howdah.import";

  @SuppressWarnings({"unchecked", "rawtypes"}) // an empty array holds nothing of another type
  private static final MapOption<Long>[] NO_OPTIONS = new MapOption[0];

  private final Transactions transactions;
  private final PersistentCollections named;
  private final RawCollections collections;
  private final Storage source;

  /**
   * Creates one.
   *
   * @param source the directory of an export
   */
  public StoreImport(Transactions transactions, PersistentCollections named, Storage source) {
    this.transactions = transactions;
    this.named = named;
    this.collections = named.raw();
    this.source = source;
  }

  /**
   * Reads all of an export, and changes nothing.
   *
   * @throws io.howdah.core.CorruptStoreException if the file is damaged
   * @throws UnsupportedStoreException if there is no export, or one of another format
   */
  public static Transferred check(Storage source) {
    requireExport(source);
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = source.open(StoreExport.FILE, Storage.Access.READ)) {
      ByteBuffer block =
          memory.allocate(ExportLayout.PAYLOAD_OFFSET + ExportLayout.MAX_PAYLOAD_BYTES);
      return new ExportReader(file, file.describe(), block).all(new ExportReader.Visitor() {});
    }
  }

  private static void requireExport(Storage source) {
    if (!source.exists(StoreExport.FILE)) {
      throw new UnsupportedStoreException(
          source.describe() + " holds no " + StoreExport.FILE + ", so it is no export");
    }
  }

  /**
   * Imports all of it, or what is left of it.
   *
   * @throws io.howdah.core.CorruptStoreException if the file is damaged; nothing was changed
   * @throws UnsupportedStoreException if there is no export, one of another format, or the store
   *     has something of the same name; nothing was changed
   */
  public Transferred run() {
    requireExport(source);
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = source.open(StoreExport.FILE, Storage.Access.READ)) {
      ByteBuffer block =
          memory.allocate(ExportLayout.PAYLOAD_OFFSET + ExportLayout.MAX_PAYLOAD_BYTES);
      String name = file.describe();
      UUID id = new ExportReader(file, name, block).id();
      boolean isBegun = transactions.read(tx -> collections.contains(tx, PROGRESS));
      Reached reached = isBegun ? reached(id) : null;
      Transferred found = new ExportReader(file, name, block).all(new Check(reached != null));
      PersistentMap<String, Long> progress = progress();
      Copy copy = new Copy(new ExportReader(file, name, block), progress, reached);
      copy.run();
      boolean _ = named.drop(PROGRESS);
      // Returns when the drop, and with it all that was imported, is durable.
      boolean _ = transactions.call(TxOptions.sync(), tx -> collections.contains(tx, PROGRESS));
      return found;
    }
  }

  /** Where the first block begins that is not in the store. */
  private record Reached(long offset) {}

  private PersistentMap<String, Long> progress() {
    return named.map(PROGRESS, Codec.utf8(), Codec.int64(), NO_OPTIONS);
  }

  /** Returns how far the import of an export is. */
  private @Nullable Reached reached(UUID id) {
    PersistentMap<String, Long> progress = progress();
    return transactions
        .read(
            tx -> {
              if (progress.size(tx) == 0) {
                return Optional.<Reached>empty(); // begun, and no block was imported
              }
              Long offset = progress.get(tx, id.toString());
              if (offset == null) {
                throw new UnsupportedStoreException(
                    "an import of another export into this store has not ended; repeat that one, or"
                        + " import into a new store");
              }
              return Optional.of(new Reached(offset));
            })
        .orElse(null);
  }

  /** Makes sure that nothing in the store is in the way. */
  private final class Check implements ExportReader.Visitor {

    private final boolean isBegun;

    Check(boolean isBegun) {
      this.isBegun = isBegun;
    }

    @Override
    public void shape(String shapeName, String text, long at) {
      Optional<String> problem =
          transactions.read(tx -> collections.shapeProblem(tx, shapeName, text));
      if (problem.isPresent()) {
        throw new UnsupportedStoreException(
            problem.get() + " than the export; import into a new store");
      }
    }

    @Override
    public void structure(Described structure, long at) {
      if (!isBegun && transactions.read(tx -> collections.contains(tx, structure.name()))) {
        throw new UnsupportedStoreException(
            "the store has \"" + structure.name() + "\" already; import into a new store");
      }
    }
  }

  /** Copies the blocks that are not in the store yet. */
  private final class Copy implements ExportReader.Visitor {

    private final ExportReader reader;
    private final PersistentMap<String, Long> progress;
    private final long from;

    Copy(ExportReader reader, PersistentMap<String, Long> progress, @Nullable Reached reached) {
      this.reader = reader;
      this.progress = progress;
      this.from = reached == null ? 0 : reached.offset();
    }

    void run() {
      Transferred _ = reader.all(this);
    }

    /** Returns whether the block that was read is in the store. */
    private boolean isDone() {
      return reader.offset() <= from;
    }

    private void note(Tx tx) {
      progress.put(tx, reader.id().toString(), reader.offset());
    }

    @Override
    public void shape(String shapeName, String text, long at) {
      collections.addShape(shapeName, text); // no harm is done if it is there
    }

    @Override
    public void structure(Described structure, long at) {
      if (isDone()) {
        return;
      }
      call(
          tx -> {
            collections.create(tx, structure);
            note(tx);
          });
    }

    @Override
    public void items(Described structure, List<Item> some) {
      if (isDone()) {
        return;
      }
      call(
          tx -> {
            collections.append(tx, structure.name(), some);
            note(tx);
          });
    }

    @Override
    public void closed(Described structure, long count, long at) {
      if (isDone()) {
        return;
      }
      boolean isCounted = RawCollections.Kind.of(structure.type()) != RawCollections.Kind.BLOB;
      long stored = transactions.read(tx -> collections.count(tx, structure.name()));
      if (isCounted && stored != count) {
        throw reader.damaged(
            at,
            "\"%s\" has %,d items here, of which the store has made %,d: some have one key"
                .formatted(structure.name(), count, stored));
      }
    }

    private void call(Consumer<Tx> body) {
      boolean _ =
          transactions.call(
              TxOptions.async(),
              tx -> {
                body.accept(tx);
                return true;
              });
    }
  }
}
