/**
 * Auto-configuration of Spring Boot: a store for each {@code howdah.stores.NAME}, its health, its
 * meters, its endpoint, and repositories. {@link io.howdah.springboot.HowdahAutoConfiguration} is
 * the first of them.
 */
@NullMarked
package io.howdah.springboot;

import org.jspecify.annotations.NullMarked;
