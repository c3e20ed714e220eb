/** The server behind the console: status, effective settings without secrets, and its documents. */
import './settings.css';
import { SimpleGrid, Stack } from '@mantine/core';
import { Equivalents } from '../../components/equivalents.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { DocumentLinks } from './document-links.tsx';
import { ServerStatus } from './server-status.tsx';
import { SettingsTable } from './settings-table.tsx';

export default function SettingsPage() {
  return (
    <Stack gap="md">
      <PageTitle>Settings</PageTitle>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing="lg">
        <ServerStatus />
        <DocumentLinks />
      </SimpleGrid>
      <SettingsTable />
      <Equivalents command="api GET /_iam/settings" call={{ path: '/_iam/settings' }} />
    </Stack>
  );
}
