/**
 * The {@code howdah} command. {@code Main} registers the command groups; each group has a
 * subpackage.
 */
@NullMarked
package io.howdah.cli;

import org.jspecify.annotations.NullMarked;
