/** The server behind the console: status, effective settings without secrets, and its documents. */
import { Stack } from '@mantine/core';
import { Equivalents } from '../../components/equivalents.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { DocumentLinks } from './document-links.tsx';
import { ServerStatus } from './server-status.tsx';
import { SettingsTable } from './settings-table.tsx';

export default function SettingsPage() {
  return (
    <Stack gap="lg">
      <PageTitle>Settings</PageTitle>
      <ServerStatus />
      <DocumentLinks />
      <SettingsTable />
      <Equivalents command="api GET /_iam/settings" call={{ path: '/_iam/settings' }} />
    </Stack>
  );
}
