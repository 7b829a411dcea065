package io.howdah.core.storage.file;

import io.howdah.core.storage.Storage;
import java.nio.file.Path;

/**
 * How {@link FileStorage} opens a directory.
 *
 * @param create whether a directory that is missing is created; its parent must exist
 * @param readOnly whether nothing is written, even where it could be
 * @param networkFileSystemAllowed whether NFS and SMB are accepted, whose locks and forces do not
 *     keep what a store promises
 * @param foreignOwnerAllowed whether a directory that belongs to another user is accepted, who
 *     could replace the store's files
 * @param volatileDirectory where {@link Storage#volatilePlace} looks: a tmpfs
 */
public record FileStorageOptions(
    boolean create,
    boolean readOnly,
    boolean networkFileSystemAllowed,
    boolean foreignOwnerAllowed,
    Path volatileDirectory) {

  /** Creates what is missing, writes, accepts neither network nor foreign directories. */
  public static final FileStorageOptions DEFAULT =
      new FileStorageOptions(true, false, false, false, Path.of("/dev/shm"));

  /** Returns these options with another {@link #create}. */
  public FileStorageOptions withCreate(boolean value) {
    return new FileStorageOptions(
        value, readOnly, networkFileSystemAllowed, foreignOwnerAllowed, volatileDirectory);
  }

  /** Returns these options with another {@link #readOnly}. */
  public FileStorageOptions withReadOnly(boolean value) {
    return new FileStorageOptions(
        create, value, networkFileSystemAllowed, foreignOwnerAllowed, volatileDirectory);
  }

  /** Returns these options with another {@link #networkFileSystemAllowed}. */
  public FileStorageOptions withNetworkFileSystemAllowed(boolean value) {
    return new FileStorageOptions(create, readOnly, value, foreignOwnerAllowed, volatileDirectory);
  }

  /** Returns these options with another {@link #foreignOwnerAllowed}. */
  public FileStorageOptions withForeignOwnerAllowed(boolean value) {
    return new FileStorageOptions(
        create, readOnly, networkFileSystemAllowed, value, volatileDirectory);
  }

  /** Returns these options with another {@link #volatileDirectory}. */
  public FileStorageOptions withVolatileDirectory(Path value) {
    return new FileStorageOptions(
        create, readOnly, networkFileSystemAllowed, foreignOwnerAllowed, value);
  }
}
