/** {@code howdah shell}: the commands on a store's data, with the store kept open between them. */
@NullMarked
package io.howdah.cli.shell;

import org.jspecify.annotations.NullMarked;
