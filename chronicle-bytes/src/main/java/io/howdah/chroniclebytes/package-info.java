/**
 * Chronicle Bytes in a store: {@link io.howdah.chroniclebytes.MarshallableCodec} makes any {@code
 * BytesMarshallable} a key or a value, {@link io.howdah.chroniclebytes.BlobBytes} reads a blob in
 * place. For the class path; what it brings along writes to stderr, see docs/chronicle-bytes.md.
 */
@NullMarked
package io.howdah.chroniclebytes;

import org.jspecify.annotations.NullMarked;
