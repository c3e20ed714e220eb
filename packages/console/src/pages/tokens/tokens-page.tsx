/** The token inspector: what a token contains, whether the server accepts it, and why not; and the signing keys. */
import { Group, Stack, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ClipboardEvent, type FormEvent, useEffect, useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { extractToken } from '../../api/pasted-token.ts';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { isKeyElsewhere } from '../../components/keys/use-keys.ts';
import { PageTitle } from '../../components/page-title.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { KeyList, rotateKey } from './key-list.tsx';
import { TokenActions } from './token-actions.tsx';
import { TokenFacts, TokenState } from './token-facts.tsx';

export default function TokensPage() {
  const { control, pasted } = useConsole();
  // In the state of the page only: a token is a secret, so it is neither in the URL nor in a query key.
  const [token, setToken] = useState('');
  const inspection = useMutation({
    mutationFn: (text: string) => unwrap(control.POST('/tokens/inspect', { body: { token: text } })),
  });
  const inspectText = (text: string) => {
    const found = extractToken(text);
    setToken(found);
    inspection.mutate(found);
  };
  const inspect = () => inspectText(token);
  // Renders again after each navigation, also to this page.
  useLocation();
  useEffect(() => {
    const text = pasted.take();
    if (text !== undefined) inspectText(text);
  });
  // Also without a click into the field.
  useEffect(() => {
    const onPagePaste = ({ target, clipboardData }: globalThis.ClipboardEvent) => {
      if (!isKeyElsewhere(target) && clipboardData) inspectText(clipboardData.getData('text'));
    };
    window.addEventListener('paste', onPagePaste);
    return () => window.removeEventListener('paste', onPagePaste);
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    inspect();
  };
  // Into an empty field there is nothing to add.
  const onPaste = (event: ClipboardEvent) => {
    if (token !== '') return;
    event.preventDefault();
    inspectText(event.clipboardData.getData('text'));
  };
  return (
    <Stack gap="md">
      <PageTitle>Tokens</PageTitle>
      <form onSubmit={onSubmit}>
        <Stack gap="xs">
          <Textarea
            label="Token"
            description="Any token of this service or another JSON Web Token, as it was copied: with Bearer, a header line or quotes"
            placeholder="eyJhbGciOi…"
            className="token-input"
            maw={800}
            value={token}
            onChange={({ currentTarget }) => setToken(currentTarget.value)}
            onPaste={onPaste}
            autosize
            minRows={2}
            maxRows={6}
            autoComplete="off"
            spellCheck={false}
            required
            withAsterisk={false}
          />
          <Group>
            <PermittedButton operation="POST /_iam/tokens/inspect" type="submit" loading={inspection.isPending}>
              Inspect
            </PermittedButton>
          </Group>
        </Stack>
      </form>
      {inspection.error ? <ErrorPanel error={inspection.error} onRetry={inspect} /> : undefined}
      {inspection.data ? (
        <>
          <TokenState inspection={inspection.data} />
          <TokenActions token={inspection.variables ?? ''} inspection={inspection.data} onChange={inspect} />
          <TokenFacts inspection={inspection.data} />
        </>
      ) : undefined}
      <KeyList />
      <Equivalents
        title="Inspect a token"
        command="token inspect --status -f -"
        call={{ method: 'POST', path: '/_iam/tokens/inspect', body: { token: 'TOKEN' } }}
        others={[{ title: 'Rotate the keys', command: 'keys rotate', call: rotateKey }]}
      />
    </Stack>
  );
}
