package io.howdah.codec.bytes;

import io.howdah.codec.Encoder;

/**
 * An encoding has grown past {@link Encoder#MAX_LENGTH}; collections turn it into an error of
 * theirs.
 */
public final class EncodingTooLongException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  EncodingTooLongException() {
    super("more than " + Encoder.MAX_LENGTH + " bytes");
  }
}
