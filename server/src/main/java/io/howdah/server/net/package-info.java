/**
 * The server on the network: connections, their limits, and when replies are sent. Start with
 * {@link io.howdah.server.net.Server}.
 */
@NullMarked
package io.howdah.server.net;

import org.jspecify.annotations.NullMarked;
