/**
 * What the three reproductions share: values with the published ones beside them, progress, text
 * and HTML reports, and the places where a paper disagrees with itself. Each paper has a package
 * below.
 */
@NullMarked
package io.howdah.nvmsim.study;

import org.jspecify.annotations.NullMarked;
