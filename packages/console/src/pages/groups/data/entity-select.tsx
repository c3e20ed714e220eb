/** Selects one entry of a long list: the server searches as one types. */
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel.tsx';

export interface SelectEntry {
  readonly value: string;
  readonly label: string;
}

interface EntitySelectProps {
  readonly label: string;
  readonly description?: string;
  /** Begins with the noun: 'users'. */
  readonly queryKey: readonly string[];
  readonly value: string | undefined;
  onChange(value: string | undefined): void;
  read(search: string | undefined, signal: AbortSignal): Promise<readonly SelectEntry[]>;
  readonly isRequired?: boolean;
}

const pauseInTyping = 250;

export function EntitySelect(props: EntitySelectProps) {
  const { label, description, queryKey, value, onChange, read, isRequired = true } = props;
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<SelectEntry | undefined>();
  const [search] = useDebouncedValue(text, pauseInTyping);
  // With an entry chosen, the field shows its label, which is no search.
  const searched = search === '' || search === chosen?.label ? undefined : search;
  const { data = [], error } = useQuery({
    queryKey: [...queryKey, 'select', searched],
    queryFn: ({ signal }) => read(searched, signal),
    placeholderData: keepPreviousData,
  });
  const selected = value === undefined ? [] : [chosen?.value === value ? chosen : { value, label: value }];
  const entries = [...data, ...selected.filter((entry) => !data.some((other) => other.value === entry.value))];
  return (
    <>
      <Select
        label={label}
        description={description}
        required={isRequired}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
        data={entries}
        value={value ?? null}
        onChange={(next) => {
          setChosen(entries.find((entry) => entry.value === next));
          onChange(next ?? undefined);
        }}
        searchValue={text}
        onSearchChange={setText}
        filter={({ options }) => options}
        nothingFoundMessage="Nothing found"
        maxDropdownHeight={240}
      />
      {error ? <ErrorPanel error={error} /> : undefined}
    </>
  );
}
