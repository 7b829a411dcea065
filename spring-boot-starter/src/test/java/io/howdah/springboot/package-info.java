/** Applications of Spring Boot with stores. */
@NullMarked
package io.howdah.springboot;

import org.jspecify.annotations.NullMarked;
