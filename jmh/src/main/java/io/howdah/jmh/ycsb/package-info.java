/**
 * A load generator for servers that speak memcached's text protocol, with the keys and the mixes of
 * operations of YCSB (Cooper et al., SoCC 2010). Start with {@link
 * io.howdah.jmh.ycsb.LoadGenerator}.
 */
@NullMarked
package io.howdah.jmh.ycsb;

import org.jspecify.annotations.NullMarked;
