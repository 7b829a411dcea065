/**
 * Repositories of Spring Data on a store, and Spring's transactions. Begin at {@link
 * io.howdah.springdata.EnableHowdahRepositories}; {@link
 * io.howdah.springdata.HowdahTransactionManager} says what {@code @Transactional} means.
 */
@NullMarked
package io.howdah.springdata;

import org.jspecify.annotations.NullMarked;
