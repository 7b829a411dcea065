package io.howdah.core.storage.file;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.UnavailablePageException;
import io.howdah.core.layout.Alignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file under a mapping, which is asked why an access to the mapping failed. Thread-safe.
 *
 * @param mappedBytes of the file, from its start
 */
record MappedFile(Path path, long mappedBytes) {

  /** What image and checksums call a page. */
  static final int PAGE_BYTES = Alignment.PAGE_BYTES;

  private static final long UNKNOWN = -1;

  /**
   * Says why a page could not be had.
   *
   * @param page address of the page, or -1 if it is not known which one it is
   * @return {@link CorruptStoreException} if the file was truncated, so that pages are lost for
   *     good; {@link UnavailablePageException} if the page may be had later
   */
  HowdahException explain(InternalError fault, long page) {
    long size = sizeBytes();
    if (size != UNKNOWN && size < mappedBytes) {
      HowdahException truncated =
          new CorruptStoreException(
              path.toString(),
              size,
              "the file ends here, but its first "
                  + mappedBytes
                  + " bytes are mapped: it was truncated while it was in use, and the pages from "
                  + size / PAGE_BYTES
                  + " on are lost; close the store and restore it from a backup");
      truncated.initCause(fault);
      return truncated;
    }
    String which = page < 0 ? "a page" : "page " + page / PAGE_BYTES;
    String problem =
        usableBytes() < PAGE_BYTES
            ? which
                + " has no memory behind it, because the file system is full; the operation that needed it had no effect; free some space and try again"
            : which
                + " could not be read; the operation that needed it had no effect, and other pages are served; check the file system and the device for errors, and run 'howdah verify' on the closed store, which names every page that cannot be read";
    return new UnavailablePageException(path.toString(), page, problem, fault);
  }

  private long sizeBytes() {
    try {
      return Files.size(path);
    } catch (IOException e) {
      return UNKNOWN; // its name is gone, or the file system fails: the mapping's file may be whole
    }
  }

  private long usableBytes() {
    try {
      return Files.getFileStore(path).getUsableSpace();
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }
}
