/**
 * The {@code howdah} command for stores and servers: {@code Main} lists the commands, {@code
 * Program} runs one and chooses its exit code; each subject has a subpackage.
 */
@NullMarked
package io.howdah.cli;

import org.jspecify.annotations.NullMarked;
