/** What long commands work with: a folder on a real disk, a time limit, the project's sources. */
@NullMarked
package io.howdah.lab.run;

import org.jspecify.annotations.NullMarked;
