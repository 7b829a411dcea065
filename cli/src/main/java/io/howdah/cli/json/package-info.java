/**
 * The JSON object that every measuring command writes with {@code --json}. Start at {@link
 * io.howdah.cli.json.MetricsRun}.
 */
@NullMarked
package io.howdah.cli.json;

import org.jspecify.annotations.NullMarked;
