/** Exports the state, also as a seed document, and imports a state or applies a seed from a file. */
import { Alert, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { PageSection } from '../../components/section.tsx';

const exportLabels = { state: 'Export the state', seed: 'Export as a seed' };
type ExportFormat = keyof typeof exportLabels;

export function DocumentTransfer() {
  return (
    <PageSection title="Export and import">
      <Text size="sm">An export contains password hashes and secrets: keep the file private.</Text>
      <Group align="flex-start">
        <ExportButtons />
        <ImportButtons />
      </Group>
    </PageSection>
  );
}

function ExportButtons() {
  const { control } = useConsole();
  const exporting = useMutation({
    mutationFn: async (format: ExportFormat) => {
      const document = await unwrap(control.GET('/state/export', { params: { query: { format } } }));
      downloadJson(format === 'seed' ? 'seed.json' : 'state.json', document);
    },
  });
  return (
    <Stack gap="xs">
      <Group>
        {Object.entries(exportLabels).map(([format, label]) => (
          <PermittedButton
            key={format}
            operation="GET /_iam/state/export"
            variant="default"
            loading={exporting.isPending}
            onClick={() => exporting.mutate(format as ExportFormat)}
          >
            {label}
          </PermittedButton>
        ))}
      </Group>
      {exporting.error ? <ErrorPanel error={exporting.error} /> : undefined}
    </Stack>
  );
}

function ImportButtons() {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const [state, setState] = useState<File | undefined>();
  const importing = useMutation({
    mutationFn: async (file: File) =>
      unwrap(
        control.POST('/state/import', {
          // The dialog asked before.
          params: { query: { force: true } },
          body: (await readDocument(file)) as never,
        }),
      ),
    onSuccess: () => {
      setState(undefined);
      return queryClient.invalidateQueries();
    },
  });
  const seeding = useMutation({
    mutationFn: async (file: File) => unwrap(control.POST('/seed', { body: (await readDocument(file)) as never })),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <Stack gap="xs">
      <Group>
        <FileButton onChange={(file) => setState(file ?? undefined)} accept="application/json">
          {(props) => (
            <PermittedButton operation="POST /_iam/state/import" variant="default" {...props}>
              Import a state
            </PermittedButton>
          )}
        </FileButton>
        <FileButton onChange={(file) => file && seeding.mutate(file)} accept="application/json">
          {(props) => (
            <PermittedButton operation="POST /_iam/seed" variant="default" loading={seeding.isPending} {...props}>
              Apply a seed
            </PermittedButton>
          )}
        </FileButton>
      </Group>
      {seeding.error ? <ErrorPanel error={seeding.error} /> : undefined}
      {seeding.data ? (
        <Alert color="green" variant="light" role="status" title="The seed is applied">
          {describeCounts(seeding.data)}
        </Alert>
      ) : undefined}
      <ConfirmDialog
        title="Import a state"
        isOpen={state !== undefined}
        confirmLabel="Replace the state"
        isPending={importing.isPending}
        error={importing.error}
        onConfirm={() => state && importing.mutate(state)}
        onCancel={() => setState(undefined)}
      >
        All current data is replaced by that of {state?.name}. Sessions that are not in the file end.
      </ConfirmDialog>
    </Stack>
  );
}

/** Saves a document as a file of the browser's user. */
function downloadJson(name: string, document: unknown): void {
  const url = URL.createObjectURL(
    new Blob([`${JSON.stringify(document, undefined, 2)}\n`], { type: 'application/json' }),
  );
  const link = window.document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** @throws Error if the file is not JSON */
async function readDocument(file: File): Promise<unknown> {
  const text = await file.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file.name} is not JSON. YAML files: iam state seed ${file.name}`, { cause });
  }
}

type SeedCounts = Readonly<Record<string, { created: number; updated: number; unchanged: number } | undefined>>;

function describeCounts(counts: object): string {
  return Object.entries(counts as SeedCounts)
    .flatMap(([kind, count]) =>
      count ? [`${kind}: ${count.created} created, ${count.updated} updated, ${count.unchanged} unchanged`] : [],
    )
    .join('; ');
}
