/**
 * Transactional workloads on simulated memory: seven structures, whose accesses are recorded once
 * and run under any protocol, since an in-order core's accesses do not depend on time. Start at
 * {@link io.howdah.nvmsim.workload.WorkloadKind}.
 */
@NullMarked
package io.howdah.nvmsim.workload;

import org.jspecify.annotations.NullMarked;
