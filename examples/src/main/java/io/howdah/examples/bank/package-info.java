/** Money moves between accounts, and the program is killed while it does. Start here. */
@NullMarked
package io.howdah.examples.bank;

import org.jspecify.annotations.NullMarked;
