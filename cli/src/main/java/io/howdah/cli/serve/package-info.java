/** {@code howdah serve}: options, messages and signals of the memcached server. */
@NullMarked
package io.howdah.cli.serve;

import org.jspecify.annotations.NullMarked;
