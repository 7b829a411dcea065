/** Messages of Protocol Buffers as values. */
@NullMarked
package io.howdah.protobuf;

import org.jspecify.annotations.NullMarked;
