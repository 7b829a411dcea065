/**
 * What tools ask an open store: the administration socket and the management bean.
 *
 * <p>Start reading at {@link io.howdah.StoreFigure}.
 */
@NullMarked
package io.howdah.store.admin;

import org.jspecify.annotations.NullMarked;
