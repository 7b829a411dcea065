/** Netty's transports: which of them works on this machine, and its classes. */
@NullMarked
package io.howdah.server.transport;

import org.jspecify.annotations.NullMarked;
