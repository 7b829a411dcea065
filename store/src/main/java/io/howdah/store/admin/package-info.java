/**
 * What tools ask an open store: the administration socket and the management bean.
 *
 * <p>Start reading at {@link io.howdah.StoreFigure}, in the package of the API. A new figure is a
 * row there; this package needs no change.
 */
@NullMarked
package io.howdah.store.admin;

import org.jspecify.annotations.NullMarked;
