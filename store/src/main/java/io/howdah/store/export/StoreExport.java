package io.howdah.store.export;

import io.howdah.collections.RawCollections;
import io.howdah.collections.RawCollections.Described;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.ExportLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.txn.Tx;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Writes an export of a store, as of one moment. For one thread. */
public final class StoreExport {

  /** Name of the file in the directory of an export. */
  public static final String FILE = "export.howdah";

  private final RawCollections collections;
  private final Storage target;
  private final UUID id;

  /**
   * Creates one.
   *
   * @param target an empty directory
   * @param id random: tells this export from others
   */
  public StoreExport(RawCollections collections, Storage target, UUID id) {
    this.collections = collections;
    this.target = target;
    this.id = id;
  }

  /** Runs a body in a read-only transaction, several times if it conflicts. */
  @FunctionalInterface
  public interface Reading {
    /** Runs it and returns its result. */
    Transferred run(Function<Tx, Transferred> body);
  }

  /**
   * Writes it. The file is forced, and so is its name; where that fails, it is removed.
   *
   * @throws UnsupportedStoreException if the store has something that an export does not hold
   */
  public Transferred write(Reading reading) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = target.create(FILE)) {
      var block = memory.allocate(ExportLayout.PAYLOAD_OFFSET + ExportLayout.MAX_PAYLOAD_BYTES);
      Transferred written =
          reading.run(
              tx -> {
                file.setSize(0); // the body may run again, and then writes all of it again
                return write(tx, new ExportWriter(file, id, block));
              });
      target.forceDirectory("");
      return written;
    } catch (RuntimeException | Error e) {
      remove(e);
      throw e;
    }
  }

  private void remove(Throwable failure) {
    try {
      target.delete(FILE);
    } catch (RuntimeException e) {
      failure.addSuppressed(e); // an export without its end is refused
    }
  }

  private Transferred write(Tx tx, ExportWriter out) {
    SortedMap<String, String> shapes = new TreeMap<>(NameOrder.BY_BYTES);
    shapes.putAll(collections.shapes(tx));
    List<Described> structures =
        collections.list(tx).stream()
            .sorted(Comparator.comparing(Described::name, NameOrder.BY_BYTES))
            .toList();
    requireWithoutReferences(shapes, structures);
    shapes.forEach(out::shape);
    for (Described structure : structures) {
      out.structure(structure);
      collections.visit(tx, structure.name(), out::item);
      out.close();
    }
    return out.end();
  }

  private static void requireWithoutReferences(
      SortedMap<String, String> shapes, List<Described> structures) {
    for (Described structure : structures) {
      if (structure.name().equals(StoreImport.PROGRESS)) {
        throw new UnsupportedStoreException(
            "an import into this store has not ended; repeat it, then export");
      }
      if (References.isIn(structure.type())) {
        throw References.refusal("\"" + structure.name() + "\" is a " + structure.type());
      }
    }
    shapes.forEach(
        (name, text) -> {
          if (References.isIn(text)) {
            throw References.refusal("the type \"" + name + "\" has a reference");
          }
        });
  }

  /** References to objects: addresses, which another store does not have. */
  private static final class References {

    /** A name of a type, which may hold any words. */
    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"]|\"\")*\"");

    private References() {}

    static boolean isIn(String codec) {
      return QUOTED.matcher(codec).replaceAll("").contains("reference to ");
    }

    static UnsupportedStoreException refusal(String why) {
      return new UnsupportedStoreException(
          why
              + ": an export holds no persistent objects, so a reference would lead nowhere. Copy"
              + " the objects by a program, or the whole store by a backup");
    }
  }
}
