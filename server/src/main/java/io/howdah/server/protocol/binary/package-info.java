/** memcached's binary protocol: requests with a header of 24 bytes, and their commands. */
@NullMarked
package io.howdah.server.protocol.binary;

import org.jspecify.annotations.NullMarked;
