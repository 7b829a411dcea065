/**
 * memcached's text protocol: lines, values behind lines, and the commands of both. The meta
 * commands of its lines are in {@code meta}.
 */
@NullMarked
package io.howdah.server.protocol.text;

import org.jspecify.annotations.NullMarked;
