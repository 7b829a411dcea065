/** Commands on stores: backup, restore, verify, stat, compact. */
@NullMarked
package io.howdah.cli.store;

import org.jspecify.annotations.NullMarked;
