/** The state of the service: snapshots, the difference to the seed, export and import. */
import './state.css';
import { Stack } from '@mantine/core';
import { usePage } from '../../api/use-page.ts';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { DocumentTransfer } from './document-transfer.tsx';
import { SnapshotList } from './snapshot-list.tsx';
import { StateDiff } from './state-diff.tsx';

export default function StatePage() {
  const { from = 'seed', to = 'now' } = usePage().search;
  return (
    <Stack gap="md">
      <PageTitle>State</PageTitle>
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
