package io.howdah.cli.command;

import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.StoreOptions;
import io.howdah.core.storage.StoreLockedException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The store that a command works on, its first parameter. */
public final class StoreOption {

  @Parameters(index = "0", paramLabel = "STORE", description = "Folder of the store.")
  private @Nullable Path folder;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  private final @Nullable Store shared;

  /** For the command line: opens a store for each command. */
  public StoreOption() {
    this(null);
  }

  /** For the shell, which has the store open. */
  StoreOption(@Nullable Store shared) {
    this.shared = shared;
  }

  /** A store that a command has open. */
  public record Opened(Store store, boolean isShared) implements AutoCloseable {

    /** Closes the store, unless the shell keeps it open. */
    @Override
    public void close() {
      if (!isShared) {
        store.close();
      }
    }
  }

  /** Returns whether the shell has the store open. */
  public boolean isShared() {
    return shared != null;
  }

  /** Returns whether there is no store in its place. */
  public boolean isAbsent() {
    return shared == null && !StoreFolder.hasStore(folder());
  }

  /** Opens it, or creates it where there is none. */
  public Opened openOrCreate(MaxSizeOption maxSize) {
    if (shared != null) {
      return shared(shared, maxSize);
    }
    StoreFolder.requireNoBackup(folder());
    return new Opened(Store.open(folder(), maxSize.options()), false);
  }

  /** Opens one that exists, to look at it: no file changes. */
  public Opened openToRead() {
    return open(StoreOptions.defaults().withReadOnly(true));
  }

  /** Opens one that exists, to change it. */
  public Opened openToWrite() {
    return open(StoreOptions.defaults());
  }

  /** Opens one that exists, to add to it. */
  public Opened openToWrite(MaxSizeOption maxSize) {
    return shared != null ? shared(shared, maxSize) : open(maxSize.options());
  }

  private static Opened shared(Store shared, MaxSizeOption maxSize) {
    if (maxSize.isGiven()) {
      throw maxSize.usage("the shell has the store open; give the option to howdah shell");
    }
    return new Opened(shared, true);
  }

  private Opened open(StoreOptions options) {
    if (shared != null) {
      return new Opened(shared, true);
    }
    requireStore(folder(), command.commandLine());
    if (!options.readOnly()) {
      StoreFolder.requireNoBackup(folder());
      return new Opened(Store.open(folder(), options), false);
    }
    try {
      return new Opened(Store.open(folder(), options), false);
    } catch (StoreLockedException e) {
      throw new StoreLockedException(
          e.getMessage()
              + ". To read it while it is open, make a backup by howdah backup and read that; howdah stat shows its figures. Both ask that process, if it opens the store with StoreOptions.withAdminSocket(true)",
          e);
    }
  }

  /**
   * Makes sure that there is a store, so that none is created by mistake.
   *
   * @throws io.howdah.core.HowdahException if there is none; says what is there instead
   * @throws CommandLine.ParameterException if there is no such folder
   */
  static void requireStore(Path folder, CommandLine command) {
    StoreFolder.existing(folder, command);
    if (!StoreFolder.hasStore(folder)) {
      StoreBackups.check(folder); // which knows why, if it may look there
    }
  }

  private Path folder() {
    if (folder == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return folder;
  }
}
