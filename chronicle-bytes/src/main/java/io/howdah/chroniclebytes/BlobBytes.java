package io.howdah.chroniclebytes;

import io.howdah.collections.PersistentBlob;
import io.howdah.txn.Tx;
import net.openhft.chronicle.bytes.Bytes;

/** {@code Bytes} over blobs. */
public final class BlobBytes {

  private BlobBytes() {}

  /**
   * Returns a blob's bytes for reading, in place: each read is one of the transaction, and nothing
   * is copied but what is read. Writing to them throws {@link UnsupportedOperationException}.
   *
   * <p>Valid in the transaction's body and its thread; afterwards every read throws {@link
   * io.howdah.core.TransactionStateException}. They show what the blob holds when they are read,
   * but keep the length that it has now.
   */
  public static Bytes<Void> view(Tx tx, PersistentBlob blob) {
    return new BlobBytesStore(tx, blob).bytesForRead();
  }
}
