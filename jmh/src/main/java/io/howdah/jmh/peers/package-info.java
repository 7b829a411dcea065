/**
 * Howdah beside other embedded stores: each runs in a JVM of its own, which a study drives through
 * lines of text. The stores themselves are in the module {@code peers}, which alone depends on
 * them. Start with {@link io.howdah.jmh.peers.PeersStudy}.
 */
@NullMarked
package io.howdah.jmh.peers;

import org.jspecify.annotations.NullMarked;
