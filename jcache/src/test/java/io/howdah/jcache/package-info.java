/** Tests of the provider, and the Technology Compatibility Kit of JSR 107. */
@NullMarked
package io.howdah.jcache;

import org.jspecify.annotations.NullMarked;
