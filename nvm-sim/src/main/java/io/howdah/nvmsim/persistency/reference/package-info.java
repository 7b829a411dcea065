/** The models' axioms, checked by brute force: what the streaming analysis is compared with. */
@NullMarked
package io.howdah.nvmsim.persistency.reference;

import org.jspecify.annotations.NullMarked;
