/**
 * memcached's protocols over a {@link io.howdah.server.cache.Cache}. Start with {@link
 * io.howdah.server.protocol.Session}: one for each connection, which takes bytes in any pieces and
 * appends replies. No class here knows the network or a store.
 */
@NullMarked
package io.howdah.server.protocol;

import org.jspecify.annotations.NullMarked;
