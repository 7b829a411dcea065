/** memcached's meta commands: lines of the text protocol whose words are flags. */
@NullMarked
package io.howdah.server.protocol.meta;

import org.jspecify.annotations.NullMarked;
