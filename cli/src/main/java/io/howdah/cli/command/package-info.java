/** What commands share: groups, operands, options, the store that a command opens. */
@NullMarked
package io.howdah.cli.command;

import org.jspecify.annotations.NullMarked;
