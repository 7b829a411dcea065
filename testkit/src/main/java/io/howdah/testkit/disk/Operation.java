package io.howdah.testkit.disk;

/**
 * What a process can ask of a {@link SimulatedDisk}; each is counted, traced, and may be made to
 * fail.
 */
public enum Operation {
  /** {@link io.howdah.core.storage.Storage#exists}. */
  EXISTS(false),
  /** {@link io.howdah.core.storage.Storage#list}. */
  LIST(false),
  /** {@link io.howdah.core.storage.Storage#createDirectory}. */
  CREATE_DIRECTORY(true),
  /** {@link io.howdah.core.storage.Storage#create}, and a volatile place created. */
  CREATE(true),
  /** {@link io.howdah.core.storage.Storage#open}. */
  OPEN(false),
  /** {@link io.howdah.core.storage.Storage#rename}. */
  RENAME(true),
  /** {@link io.howdah.core.storage.Storage#delete}. */
  DELETE(true),
  /** {@link io.howdah.core.storage.Storage#forceDirectory}. */
  FORCE_DIRECTORY(true),
  /** {@link io.howdah.core.storage.Storage#lock}. */
  LOCK(true),
  /** {@link io.howdah.core.storage.Storage#mapShared}. */
  MAP_SHARED(false),
  /** {@link io.howdah.core.storage.Storage#mapPrivate}, which may extend the file. */
  MAP_PRIVATE(true),
  /** {@link io.howdah.core.storage.Storage#allocate}. */
  ALLOCATE(false),
  /** {@link io.howdah.core.storage.Storage#identity}. */
  IDENTITY(false),
  /** {@link io.howdah.core.storage.StorageFile#read}. */
  READ(false),
  /** {@link io.howdah.core.storage.StorageFile#write}. */
  WRITE(true),
  /** {@link io.howdah.core.storage.StorageFile#setSize}. */
  SET_SIZE(true),
  /** {@link io.howdah.core.storage.StorageFile#force}. */
  FORCE(true);

  private final boolean changesDisk;

  Operation(boolean changesDisk) {
    this.changesDisk = changesDisk;
  }

  /** Returns whether it always needs some space; a write does only where nothing was. */
  boolean takesSpace() {
    return this == CREATE || this == CREATE_DIRECTORY;
  }

  /** Returns a number for traces, the same in every run of the JVM. */
  int code() {
    return name().hashCode();
  }

  /** Returns whether a read-only disk refuses it. */
  boolean isDeniedWhenReadOnly() {
    return switch (this) {
      case CREATE_DIRECTORY, CREATE, RENAME, DELETE, WRITE, SET_SIZE -> true;
      default -> false;
    };
  }

  /** Returns whether a crash before it and one after it can leave different disks. */
  public boolean changesDisk() {
    return changesDisk;
  }
}
