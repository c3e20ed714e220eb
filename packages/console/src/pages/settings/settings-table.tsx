/** The effective settings by flag name, with a search in names and values. */
import { Stack, Text } from '@mantine/core';
import { usePage } from '../../api/use-page.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable } from '../../components/data-table.tsx';
import { NoMatch } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { FilterLine, SearchInput } from '../../components/search-input.tsx';
import { PageSection } from '../../components/section.tsx';

interface ShownSetting {
  readonly name: string;
  readonly value: string;
}

export function SettingsTable() {
  const { search: given, setSearch } = usePage();
  const { search = '' } = given;
  const { data, error, refetch } = useRead(['settings'], ({ control }, signal) => control.GET('/settings', { signal }));
  const settings = listSettings(data ?? {});
  const matches = settings.filter((setting) => isMatch(setting, search));
  return (
    <PageSection title="Effective settings">
      <Stack gap="xs">
        <FilterLine
          status={
            data === undefined ? undefined : (
              <Text className="list-count" size="sm" c="dimmed" role="status">
                {matches.length} of {settings.length} settings
              </Text>
            )
          }
        >
          <SearchInput label="Name or value" value={given.search} onChange={(value) => setSearch({ search: value })} />
        </FilterLine>
        {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : undefined}
        {data !== undefined && matches.length === 0 ? (
          <NoMatch icon="settings" things="settings" filters={{ search }}>
            The search looks in names and values. Secrets and settings without a value are not listed.
          </NoMatch>
        ) : undefined}
        {matches.length > 0 ? <SettingRows settings={matches} /> : undefined}
      </Stack>
    </PageSection>
  );
}

function SettingRows({ settings }: { readonly settings: readonly ShownSetting[] }) {
  return (
    <DataTable
      aria-label="Effective settings"
      layout="fixed"
      className="settings"
      style={{ overflowWrap: 'anywhere' }}
      titles={['Option of iam serve', 'Value']}
      rows={settings.map(({ name, value }) => ({
        key: name,
        name: <span className="id">--{name}</span>,
        cells: [
          value === '' ? (
            <Text key={name} c="dimmed" size="sm">
              none
            </Text>
          ) : (
            <bdi key={name} className="setting">
              {value}
            </bdi>
          ),
        ],
      }))}
    />
  );
}

function listSettings(settings: Readonly<Record<string, unknown>>): readonly ShownSetting[] {
  return Object.entries(settings)
    .map(([name, value]) => ({ name, value: Array.isArray(value) ? value.join(', ') : String(value) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isMatch({ name, value }: ShownSetting, search: string): boolean {
  return `--${name} ${value}`.toLowerCase().includes(search.toLowerCase());
}
