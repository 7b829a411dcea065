package io.howdah.server.protocol.binary;

/** What a reply of the binary protocol says of its command, with memcached's texts. */
enum BinaryStatus {
  OK(0x00, ""),
  NOT_FOUND(0x01, "Not found"),
  EXISTS(0x02, "Data exists for key."),
  TOO_LARGE(0x03, "Too large."),
  INVALID(0x04, "Invalid arguments"),
  NOT_STORED(0x05, "Not stored."),
  NOT_A_NUMBER(0x06, "Non-numeric server-side value for incr or decr"),
  AUTH_ERROR(0x20, "Auth failure."),
  AUTH_CONTINUE(0x21, ""),
  UNKNOWN_COMMAND(0x81, "Unknown command"),
  NO_MEMORY(0x82, "Out of memory");

  final int code;
  final String text;

  BinaryStatus(int code, String text) {
    this.code = code;
    this.text = text;
  }
}
