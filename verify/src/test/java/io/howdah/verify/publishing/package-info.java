/** The scripts that make and check what a release uploads. */
@NullMarked
package io.howdah.verify.publishing;

import org.jspecify.annotations.NullMarked;
