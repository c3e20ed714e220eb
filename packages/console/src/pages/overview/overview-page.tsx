/** The first page: what runs, what happened last, what is in force, and what to do next. */
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useConsole } from '../../api/console-context.ts';
import { useRead } from '../../api/use-read.ts';
import { PageTitle } from '../../components/page-title.tsx';
import { useServerStatus } from '../settings/use-server-status.ts';
import { InForce } from './in-force.tsx';
import { LastCode } from './last-code.tsx';
import { LastRefusals } from './last-refusals.tsx';
import { NextSteps } from './next-steps.tsx';

export default function OverviewPage() {
  return (
    <Stack gap="lg">
      <div>
        <PageTitle>Overview</PageTitle>
        <RunningServer />
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <LastCode />
        <InForce />
      </SimpleGrid>
      <LastRefusals />
      <NextSteps />
    </Stack>
  );
}

/** What runs, in one line. Its settings are a page of their own. */
function RunningServer() {
  const { location } = useConsole();
  const { data: status } = useServerStatus();
  const { data: settings = {} } = useRead(['settings'], ({ control }, signal) => control.GET('/settings', { signal }));
  const { store, seed } = settings;
  const parts = [
    status?.index === undefined ? undefined : `${status.index.name} ${status.index.version}`,
    location.sandbox === undefined ? undefined : `sandbox ${location.sandbox}`,
    store === undefined ? undefined : `${store} store`,
    seed === undefined ? 'no seed' : `seed ${seed}`,
    status?.readiness?.status,
  ];
  return (
    <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {parts.filter((part) => part !== undefined && part !== '').join(' · ')}
    </Text>
  );
}
