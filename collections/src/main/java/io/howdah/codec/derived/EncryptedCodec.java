package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.EncryptionKeys;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Values whose bytes are encrypted and authenticated by AES-GCM (NIST SP 800-38D): the number of
 * the key, 4 bytes; a random nonce, 12 bytes; the encrypted bytes; a tag, 16 bytes. The key's
 * number and the codec's name are authenticated with them, so a value is not taken for one of
 * another type.
 */
record EncryptedCodec<T>(Codec<T> codec, EncryptionKeys keys) implements Codec<T> {

  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;

  @Override
  public String name() {
    return "encrypted " + codec.name();
  }

  @Override
  public Codec<T> bind(Shapes shapes) {
    if (shapes.isForKeys()) {
      throw new CodecException(
          name()
              + " cannot be a key: each encryption gives other bytes, so a key would never be found"
              + " again; use a keyed hash of it");
    }
    return new EncryptedCodec<>(codec.bind(shapes), keys);
  }

  @Override
  public void encode(T value, Encoder out) {
    EncodingBuffer plain = new EncodingBuffer();
    codec.encode(value, plain);
    EncodingBuffer.of(out).addExpanded(plain.expanded());
    int number = keys.current();
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(Cipher.ENCRYPT_MODE, key(number)); // draws a random nonce
      byte[] nonce = cipher.getIV();
      if (nonce == null || nonce.length != NONCE_BYTES) {
        throw new CodecException(
            "the security provider " + cipher.getProvider() + " has no nonces of 12 bytes");
      }
      cipher.updateAAD(associated(number));
      out.putInt(number);
      out.putBytes(nonce);
      out.putBytes(cipher.doFinal(plain.array(), 0, plain.length()));
    } catch (GeneralSecurityException e) {
      throw new CodecException(name() + " cannot encrypt with key " + number, e);
    }
  }

  @Override
  public T decode(Decoder in) {
    int number = in.getInt();
    byte[] nonce = in.getBytes(NONCE_BYTES);
    byte[] encrypted = in.getBytes(in.remaining());
    if (encrypted.length < TAG_BYTES) {
      throw refused(number, null);
    }
    byte[] plain;
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(
          Cipher.DECRYPT_MODE, key(number), new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
      cipher.updateAAD(associated(number));
      plain = cipher.doFinal(encrypted);
    } catch (GeneralSecurityException e) {
      throw refused(number, e);
    }
    return codec.decode(DecodingBuffer.of(in).over(plain));
  }

  private CodecException refused(int number, @Nullable GeneralSecurityException cause) {
    return new CodecException(
        name()
            + " cannot decrypt with key "
            + number
            + ": the key is another one, or the bytes were changed",
        cause);
  }

  private SecretKey key(int number) {
    SecretKey key = keys.key(number);
    if (key == null) {
      throw new CodecException(
          name() + " needs key " + number + ", which EncryptionKeys does not have");
    }
    return key;
  }

  private byte[] associated(int number) {
    return (number + " " + codec.name()).getBytes(StandardCharsets.UTF_8);
  }
}
