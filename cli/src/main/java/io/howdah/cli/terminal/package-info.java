/** What a person sees of a long command: tables, figures, and a line that tells how far it is. */
@NullMarked
package io.howdah.cli.terminal;

import org.jspecify.annotations.NullMarked;
