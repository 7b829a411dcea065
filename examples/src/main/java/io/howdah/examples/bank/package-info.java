/** Accounts in a persistent map, with a secondary index by balance. */
@NullMarked
package io.howdah.examples.bank;

import org.jspecify.annotations.NullMarked;
