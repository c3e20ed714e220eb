/** What can be done with an inspected token: revoke it, and move the clock to its expiry. */
import { Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useChanged } from '../../api/use-changed.ts';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import type { InspectedToken } from './token-facts.tsx';

interface TokenActionsProps {
  readonly token: string;
  readonly inspection: InspectedToken;
  /** Called after a change, to inspect the token again. */
  onChange(): void;
}

const jumps = [
  { label: 'Move the clock to a second before its expiry', offset: '-1s' },
  { label: 'Move the clock to its expiry', offset: undefined },
];

export function TokenActions({ token, inspection: { active, expiresAt }, onChange }: TokenActionsProps) {
  const { control } = useConsole();
  const changed = useChanged();
  const jump = useMutation({
    mutationFn: (offset: string | undefined) =>
      unwrap(control.PUT('/clock', { body: { to: 'expiry', of: token, offset } })),
    onSuccess: () => {
      onChange();
      return changed();
    },
  });
  if (!active && expiresAt === undefined) return undefined;
  return (
    <>
      <Group gap="xs">
        <WriteAction
          operation="POST /_iam/revoke"
          label="Revoke the token"
          disabledReason={active ? undefined : 'It is rejected already.'}
          isDangerous
          title="Revoke the token"
          confirmLabel="Revoke"
          request={(clients) => clients.control.POST('/revoke', { body: { token } })}
          changes={[]}
          done="The token was revoked."
          onDone={onChange}
        >
          The server rejects it from then on. This cannot be undone, also not by moving the clock.
        </WriteAction>
        {(expiresAt === undefined ? [] : jumps).map(({ label, offset }) => (
          <PermittedButton
            key={label}
            operation="PUT /_iam/clock"
            variant="default"
            onClick={() => jump.mutate(offset)}
          >
            {label}
          </PermittedButton>
        ))}
      </Group>
      {jump.error ? <ErrorPanel error={jump.error} /> : undefined}
    </>
  );
}
