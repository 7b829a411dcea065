/** What the program writes to standard error about itself, as text or JSON lines. */
@NullMarked
package io.howdah.cli.log;

import org.jspecify.annotations.NullMarked;
