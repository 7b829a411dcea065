package io.howdah.store.archive;

import io.howdah.archive.Archive;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.ArchiveFrameLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * How the payloads of the frames of one object are stored: compressed by Deflate, and encrypted by
 * AES-GCM, if that was asked for.
 *
 * <p>Each object has a key of its own: the HMAC-SHA256, under the key of the archive, of the
 * store's id, the run with its random nonce, and the object's name. So archives of several stores,
 * and an archive that was removed and begun again, may have one key. The nonce of a frame is its
 * sequence. An object is created once, and a sequence is used once in it, so no nonce is used twice
 * with a key. The header of the frame is authenticated with the payload, so a frame cannot be
 * moved.
 *
 * <p>Used by one thread.
 */
public final class PayloadCoding implements AutoCloseable {

  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int TAG_BYTES = 16;
  private static final int NONCE_BYTES = 12;
  private static final int FIRST_BYTES = 1 << 20;

  private final boolean isCompressed;
  private final byte @Nullable [] archiveKey;

  private @Nullable SecretKeySpec objectKey;
  private String object = "";

  /** Store and run of the object, as the headers of its frames have them. */
  private byte[] identity = new byte[0];

  private StagingMemory memory = new StagingMemory();
  private ByteBuffer compressed = memory.allocate(FIRST_BYTES);
  private ByteBuffer encrypted = memory.allocate(FIRST_BYTES);
  private @Nullable Deflater deflater;
  private @Nullable Inflater inflater;

  /** Creates the coding of an archive. */
  public PayloadCoding(Archive archive) {
    this.isCompressed = archive.isCompressed();
    this.archiveKey = archive.key().orElse(null);
  }

  private SecretKeySpec key(String name, ByteBuffer header, byte[] secret)
      throws GeneralSecurityException {
    byte[] ofHeader =
        new byte[ArchiveFrameLayout.SEQUENCE_OFFSET - ArchiveFrameLayout.STORE_ID_HIGH_OFFSET];
    header.get(ArchiveFrameLayout.STORE_ID_HIGH_OFFSET, ofHeader);
    SecretKeySpec known = objectKey;
    if (known == null || !object.equals(name) || !Arrays.equals(identity, ofHeader)) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      identity = ofHeader;
      mac.update(ofHeader);
      known = new SecretKeySpec(mac.doFinal(name.getBytes(StandardCharsets.US_ASCII)), "AES");
      objectKey = known;
      object = name;
    }
    return known;
  }

  private static GCMParameterSpec nonce(long sequence) {
    byte[] nonce = new byte[NONCE_BYTES];
    ByteBuffer.wrap(nonce).order(ByteOrder.LITTLE_ENDIAN).putLong(sequence);
    return new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce);
  }

  /**
   * Returns what is stored of a payload, and sets its flags and its length in the header. The other
   * values of the header, but for checksums, are set before.
   *
   * @return the payload itself, or a buffer that is valid until the next call
   */
  ByteBuffer encode(String name, long sequence, ByteBuffer header, ByteBuffer payload) {
    ByteBuffer stored = payload.duplicate();
    int flags = 0;
    if (isCompressed && payload.remaining() > 0) {
      ByteBuffer smaller = compress(payload.duplicate());
      if (smaller != null) {
        stored = smaller;
        flags = ArchiveFrameLayout.COMPRESSED_FLAG;
      }
    }
    byte[] secret = archiveKey;
    int length = stored.remaining();
    if (secret != null && length > 0) {
      flags |= ArchiveFrameLayout.ENCRYPTED_FLAG;
      length += TAG_BYTES;
    }
    header
        .putInt(ArchiveFrameLayout.FLAGS_OFFSET, flags)
        .putInt(ArchiveFrameLayout.STORED_LENGTH_OFFSET, length);
    return secret != null && length > 0 ? encrypt(name, sequence, header, stored, secret) : stored;
  }

  private @Nullable ByteBuffer compress(ByteBuffer payload) {
    Deflater open = deflater;
    if (open == null) {
      open = new Deflater(Deflater.BEST_SPEED, true);
      deflater = open;
    }
    int length = payload.remaining();
    reserve(length);
    open.reset();
    open.setInput(payload);
    open.finish();
    int written = open.deflate(compressed.clear().limit(length));
    return open.finished() && written < length ? compressed.clear().limit(written) : null;
  }

  private ByteBuffer encrypt(
      String name, long sequence, ByteBuffer header, ByteBuffer stored, byte[] secret) {
    reserve(stored.remaining() + TAG_BYTES);
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(Cipher.ENCRYPT_MODE, key(name, header, secret), nonce(sequence));
      cipher.updateAAD(authenticated(header));
      int written = cipher.doFinal(stored, encrypted.clear());
      return encrypted.clear().limit(written);
    } catch (GeneralSecurityException e) {
      throw new UnsupportedStoreException("this JVM cannot encrypt an archive: " + e.getMessage());
    }
  }

  /** Returns the part of a header that is authenticated: all but the two checksums. */
  private static ByteBuffer authenticated(ByteBuffer header) {
    return header.duplicate().clear().limit(ArchiveFrameLayout.PAYLOAD_CRC_OFFSET);
  }

  /**
   * Returns the payload of what is stored.
   *
   * @param header of the frame
   * @param stored whose checksum was verified
   * @param offset of it in the object, for messages
   * @return valid until the next call
   * @throws CorruptStoreException if the two do not belong together
   * @throws UnsupportedStoreException if it is encrypted, and there is no key or another one
   */
  ByteBuffer decode(String name, long sequence, ByteBuffer header, ByteBuffer stored, long offset) {
    int flags = header.getInt(ArchiveFrameLayout.FLAGS_OFFSET);
    int length = header.getInt(ArchiveFrameLayout.LENGTH_OFFSET);
    ByteBuffer plain = stored;
    if ((flags & ArchiveFrameLayout.ENCRYPTED_FLAG) != 0) {
      plain = decrypt(name, sequence, header, stored);
    }
    if ((flags & ArchiveFrameLayout.COMPRESSED_FLAG) != 0) {
      plain = decompress(name, plain, length, offset);
    }
    if (plain.remaining() != length) {
      throw new CorruptStoreException(name, offset, "the content of a frame has a wrong length");
    }
    return plain;
  }

  private ByteBuffer decrypt(String name, long sequence, ByteBuffer header, ByteBuffer stored) {
    byte[] secret = archiveKey;
    if (secret == null) {
      throw new UnsupportedStoreException(name + " is encrypted: give the key of the archive");
    }
    reserve(stored.remaining());
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(Cipher.DECRYPT_MODE, key(name, header, secret), nonce(sequence));
      cipher.updateAAD(authenticated(header));
      int written = cipher.doFinal(stored.duplicate(), encrypted.clear());
      return encrypted.clear().limit(written);
    } catch (AEADBadTagException e) {
      throw new UnsupportedStoreException(
          name + " was encrypted with another key, or was changed on purpose");
    } catch (GeneralSecurityException e) {
      throw new UnsupportedStoreException("this JVM cannot decrypt an archive: " + e.getMessage());
    }
  }

  private ByteBuffer decompress(String name, ByteBuffer stored, int length, long offset) {
    Inflater open = inflater;
    if (open == null) {
      open = new Inflater(true);
      inflater = open;
    }
    if (compressed.capacity() < length) {
      // The encrypted buffer may hold what is to be decompressed.
      compressed = memory.allocate(length);
    }
    open.reset();
    open.setInput(stored);
    try {
      int written = open.inflate(compressed.clear().limit(length));
      if (written != length) {
        throw new CorruptStoreException(
            name, offset, "the content of a frame has a wrong length: " + written);
      }
      return compressed.clear().limit(length);
    } catch (DataFormatException e) {
      throw new CorruptStoreException(
          name, offset, "the content of a frame cannot be decompressed: " + e.getMessage());
    }
  }

  private void reserve(int bytes) {
    if (compressed.capacity() < bytes) {
      compressed = memory.allocate(bytes);
    }
    if (encrypted.capacity() < bytes) {
      encrypted = memory.allocate(bytes);
    }
  }

  /** Frees buffers and coders. */
  @Override
  public void close() {
    memory.close();
    if (deflater != null) {
      deflater.close();
    }
    if (inflater != null) {
      inflater.close();
    }
  }
}
