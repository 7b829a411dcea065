/**
 * Other embedded stores behind one interface, each in a JVM of its own: start with {@link
 * io.howdah.peers.PeerMain}. Six random words in ScalaSTM: {@link io.howdah.peers.StmMain}.
 */
@NullMarked
package io.howdah.peers;

import org.jspecify.annotations.NullMarked;
