/** Selects one entry of a long list: the server searches as one types. */
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { type EntityKind, entityReaders, type SelectEntry } from './entity-readers.ts';

interface EntitySelectProps {
  readonly label: string;
  readonly description?: string;
  readonly kind: EntityKind;
  readonly value: string | undefined;
  onChange(value: string | undefined): void;
  readonly isRequired?: boolean;
}

const pauseInTyping = 250;

export function EntitySelect(props: EntitySelectProps) {
  const { label, description, kind, value, onChange, isRequired = true } = props;
  const { noun, read } = entityReaders[kind];
  const clients = useConsole();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<SelectEntry | undefined>();
  const [search] = useDebouncedValue(text, pauseInTyping);
  // With an entry chosen, the field shows its label, which is no search.
  const searched = search === '' || search === chosen?.label ? undefined : search;
  const { data = [], error } = useQuery({
    queryKey: [noun, 'select', kind, searched],
    queryFn: ({ signal }) => read(clients, searched, signal),
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
