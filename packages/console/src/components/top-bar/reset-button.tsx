/** Resets the state to the seed, after a confirmation. */
import { WriteAction } from '../write-action.tsx';

export function ResetButton() {
  return (
    <WriteAction
      operation="POST /_iam/state/reset"
      label="Reset"
      isCompact
      isDangerous
      title="Reset to the seed"
      confirmLabel="Reset"
      request={({ control }) => control.POST('/state/reset', { body: { to: 'seed' } })}
    >
      All users, groups and clients that were added since the start are deleted, also messages, sessions, faults, the
      request log and the coverage. The clock returns to the time of this machine. Tokens that were issued are rejected.
    </WriteAction>
  );
}
