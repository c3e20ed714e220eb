/** The filters of the request log, which are parameters of the URL. */
import { type ComboboxItem, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { FilterLine, SearchInput } from '../../components/search-input.tsx';
import { listChoices, useOperations } from './use-operations.ts';

interface RequestFilterValues {
  readonly operation?: string | undefined;
  readonly caller?: string | undefined;
  readonly status?: string | undefined;
  readonly error?: string | undefined;
}

interface RequestFiltersProps {
  readonly values: RequestFilterValues;
  onChange(changes: RequestFilterValues): void;
  /** What follows the filters. */
  readonly children?: ReactNode;
}

const statusClasses = ['2xx', '3xx', '4xx', '5xx'];
const errors = { value: '4xx,5xx', label: 'Errors' };

export function RequestFilterFields({ values, onChange, children }: RequestFiltersProps) {
  const operations = useOperations();
  const statuses = operations.flatMap((operation) => operation.statuses.map(String));
  return (
    <FilterLine filters={{ ...values, caller: undefined }}>
      <SearchInput label="Caller" value={values.caller} onChange={(caller) => onChange({ caller })} />
      <FilterSelect
        label="Operation"
        value={values.operation}
        choices={operations.map(({ operation }) => operation)}
        onChange={(operation) => onChange({ operation })}
      />
      <FilterSelect
        label="Status"
        value={values.status}
        first={errors}
        choices={[...statusClasses, ...statuses]}
        onChange={(status) => onChange({ status })}
      />
      <FilterSelect
        label="Error code"
        value={values.error}
        choices={operations.flatMap(({ codes }) => codes)}
        onChange={(error) => onChange({ error })}
      />
      {children}
    </FilterLine>
  );
}

interface FilterSelectProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly string[];
  /** Above them. */
  readonly first?: ComboboxItem;
  onChange(value: string | undefined): void;
}

function FilterSelect({ label, value, choices, first, onChange }: FilterSelectProps) {
  return (
    <Select
      aria-label={label}
      data={[...(first ? [first] : []), ...listChoices([...choices, value === first?.value ? undefined : value])]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      placeholder={label}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `${label}: all` }}
      nothingFoundMessage="None"
    />
  );
}
