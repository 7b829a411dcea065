/** Repositories and transactions in an application of Spring. */
@NullMarked
package io.howdah.springdata;

import org.jspecify.annotations.NullMarked;
