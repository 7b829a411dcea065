package io.howdah.peers;

import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An open store with keys of type long and values of bytes. Closing it is a clean close. */
interface Peer extends AutoCloseable {

  /** Returns what one thread uses and releases. */
  Session session() throws Exception;

  @Override
  void close() throws IOException;

  /** One thread's access. */
  interface Session {

    /** Returns the value as an array of its own, or null. */
    byte @Nullable [] get(long key) throws Exception;

    /**
     * Reads so many entries from a key on. Every store does the same for each of them: it decodes
     * the key to a number or a string, makes an array of the value, and adds up {@link
     * KeyForm#part} of both.
     */
    long scan(long from, int entries) throws Exception;

    /** Puts the first {@code count} entries in one transaction. */
    void put(long[] keys, byte[][] values, int count) throws Exception;

    /**
     * Puts entries whose keys ascend, and are greater than all that are there, by what the store
     * has for that; see {@link io.howdah.jmh.peers.PeerKind#bulkLoad}.
     *
     * @param values one for each key, in the order of the keys
     */
    default void putAscending(long first, long count, Supplier<byte[]> values) throws Exception {
      throw new UnsupportedOperationException("the store has no bulk load");
    }

    /** Gives back what the session holds. */
    default void release() {}
  }
}
