package io.howdah.server.items;

import java.io.Serial;

/** The items in a store were written by another version of the server. Nothing has changed. */
public final class ItemLayoutException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1;

  ItemLayoutException(String message) {
    super(message);
  }
}
