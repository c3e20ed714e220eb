/** The state of the service: snapshots, the difference to the seed, export and import. */
import './state.css';
import { Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { usePage } from '../../api/use-page.ts';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { ResetDialog } from '../../components/top-bar/reset-dialog.tsx';
import { DocumentTransfer } from './document-transfer.tsx';
import { SnapshotList } from './snapshot-list.tsx';
import { StateDiff } from './state-diff.tsx';

function ResetButton() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <PermittedButton operation="POST /_iam/state/reset" variant="default" onClick={open}>
        Reset to the seed
      </PermittedButton>
      <ResetDialog isOpen={isOpen} onClose={close} />
    </>
  );
}

export default function StatePage() {
  const { from = 'seed', to = 'now' } = usePage().search;
  return (
    <Stack gap="md">
      <PageTitle actions={<ResetButton />}>State</PageTitle>
      <SnapshotList />
      <DocumentTransfer />
      <StateDiff />
      <Equivalents
        title="Save a snapshot"
        command="state save NAME"
        call={{ method: 'POST', path: '/_iam/state/snapshots', body: { name: 'NAME' } }}
        others={[
          {
            title: 'Compare',
            command: `state diff ${quotePositional(from, to)}`,
            call: ({ control }) => control.GET('/state/diff/objects', { params: { query: { from, to } } }),
          },
          {
            title: 'Export as a seed',
            command: 'state export --seed',
            call: { path: '/_iam/state/export?format=seed' },
          },
        ]}
      />
    </Stack>
  );
}
