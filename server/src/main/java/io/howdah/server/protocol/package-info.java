/**
 * What memcached's protocols have in common: commands over a {@link io.howdah.server.cache.Cache},
 * replies, and what a session may ask of its server. Start with {@link
 * io.howdah.server.protocol.session.Session}: one for each connection, which takes bytes in any
 * pieces and appends replies. Each protocol has its own package. No class here knows the network or
 * a store.
 */
@NullMarked
package io.howdah.server.protocol;

import org.jspecify.annotations.NullMarked;
