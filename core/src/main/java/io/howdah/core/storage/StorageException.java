package io.howdah.core.storage;

import io.howdah.core.HowdahException;
import org.jspecify.annotations.Nullable;

/** An operation on a file failed. */
public final class StorageException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /**
   * Creates one.
   *
   * @param operation what was tried, with file, offset and length: "write segment at 4096, 8192
   *     bytes"
   */
  public StorageException(Reason reason, String operation, @Nullable Throwable cause) {
    super(
        cause == null || cause.getMessage() == null
            ? operation + " failed: " + reason.text
            : operation + " failed: " + reason.text + " (" + cause.getMessage() + ")",
        cause);
    this.reason = reason;
  }

  /** Returns the kind of failure. */
  public Reason reason() {
    return reason;
  }

  /**
   * Returns whether the same operation may succeed later, on its own: the disk is full, the file
   * would be too large, or there are too many open files. Of a write or a force this says nothing
   * about what has been written.
   */
  public boolean isTransient() {
    return reason == Reason.NO_SPACE
        || reason == Reason.FILE_TOO_LARGE
        || reason == Reason.TOO_MANY_FILES;
  }

  /** Failures that callers treat differently. */
  public enum Reason {
    /** The device reported an error. */
    IO("input/output error"),
    /** No space, or no quota. */
    NO_SPACE("no space left"),
    /** Longer than the process may make files (ulimit -f), or than the file system can. */
    FILE_TOO_LARGE(
        "the file would be longer than the file system can make it (ext4: 16 TiB), or than the"
            + " process may (ulimit -f); choose a smaller size, or raise the limit"),
    /** A name, or a whole path, is longer than the file system takes. */
    NAME_TOO_LONG("the name is too long for the file system"),
    /** The file system is mounted for reading only. */
    READ_ONLY("the file system is read-only"),
    /** The file or directory may not be written, or not be read. */
    ACCESS_DENIED("access denied"),
    /** The file is not there. */
    MISSING("no such file"),
    /** The file is there but must not be. */
    EXISTS("already exists"),
    /** Address space or memory ran out while mapping. */
    NO_MEMORY(
        "not enough memory or address space; choose a smaller maxSize (howdah serve: -m), or"
            + " give it more"),
    /** This process, or the whole system, has no descriptor left to open a file with. */
    TOO_MANY_FILES("too many open files; raise the limit of descriptors (ulimit -n)"),
    /** The storage or file is closed. */
    CLOSED("closed");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }
}
