/** The script {@code howdah}, which builds the command and starts it. */
@NullMarked
package io.howdah.verify.command;

import org.jspecify.annotations.NullMarked;
