package io.howdah.codec;

import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * The keys of {@link io.howdah.codec.derived.Codecs#encrypted}, by numbers that the encrypted
 * values hold. To change the key, let {@link #current} return a new number, and keep the old key
 * until every value that was encrypted with it has been written again. Thread-safe.
 */
public interface EncryptionKeys {

  /** Returns the number of the key that encrypts. */
  int current();

  /** Returns the AES key of a number, 128, 192 or 256 bits, or null if there is none. */
  @Nullable SecretKey key(int number);
}
