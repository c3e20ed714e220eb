/** Resets everything that tests change. The control plane and the sandboxes of the library share it. */
import type { AppContext } from '../app-context.ts';
import type { Observability } from '../observability/observability.ts';
import type { BaselineName } from '../snapshots/baseline.ts';

interface ResetContext extends Pick<AppContext, 'state' | 'clock' | 'ids'> {
  readonly observability: Observability | undefined;
}

/** Resets data, clock, fault rules, request log and coverage. Sandboxes of the server are services of their own and remain. */
export async function resetState({ state, clock, ids, observability }: ResetContext, to: BaselineName): Promise<void> {
  await state.reset(to);
  // After the data, which a failed reset leaves unchanged.
  clock.resetToStart();
  ids.sequence?.resetToStart();
  observability?.faults.clear();
  observability?.testTokens.clear();
  observability?.requestLog.clear();
  observability?.coverage.clear();
}
