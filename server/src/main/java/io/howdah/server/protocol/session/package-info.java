/**
 * One connection between bytes: {@link io.howdah.server.protocol.session.Session} selects the
 * protocol by the first byte, and gives bytes to the decoder of that protocol.
 */
@NullMarked
package io.howdah.server.protocol.session;

import org.jspecify.annotations.NullMarked;
