/** The state of the service: snapshots, the difference to the seed, export and import. */
import { Stack } from '@mantine/core';
import { PageTitle } from '../../components/page-title.tsx';
import { DocumentTransfer } from './document-transfer.tsx';
import { SnapshotList } from './snapshot-list.tsx';
import { StateDiff } from './state-diff.tsx';

export default function StatePage() {
  return (
    <Stack gap="md">
      <PageTitle>State</PageTitle>
      <SnapshotList />
      <StateDiff />
      <DocumentTransfer />
    </Stack>
  );
}
