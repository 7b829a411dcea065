/** What long commands work with: a folder on a real disk, and JVMs of their own. */
@NullMarked
package io.howdah.cli.run;

import org.jspecify.annotations.NullMarked;
