/**
 * Other embedded stores behind one interface, each in a JVM of its own. Start with {@link
 * io.howdah.peers.PeerMain}.
 */
@NullMarked
package io.howdah.peers;

import org.jspecify.annotations.NullMarked;
