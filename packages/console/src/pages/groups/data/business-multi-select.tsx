/** Selects several businesses by name: the server searches as one types. */
import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useNames } from '../../../api/use-names.ts';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { Subject } from '../../../components/subject.tsx';
import { pauseInTyping, useFoundEntries } from './entity-select.tsx';

interface BusinessMultiSelectProps {
  readonly label: string;
  readonly description?: string;
  readonly values: readonly string[];
  readonly error?: ReactNode;
  onChange(values: string[]): void;
}

export function BusinessMultiSelect({ label, description, values, error: wrong, onChange }: BusinessMultiSelectProps) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, pauseInTyping);
  const { data: found = [], error } = useFoundEntries('businesses', search === '' ? undefined : search);
  const nameOf = useNames(values);
  const selected = values
    .filter((value) => !found.some((entry) => entry.value === value))
    .map((value) => ({ value, label: nameOf('business', value) ?? value }));
  return (
    <>
      <MultiSelect
        label={label}
        description={description}
        error={wrong}
        data-path="businesses"
        searchable
        hidePickedOptions
        data={[...found, ...selected]}
        value={[...values]}
        onChange={onChange}
        searchValue={text}
        onSearchChange={setText}
        filter={({ options }) => options}
        renderOption={({ option: { value: id, label: name } }) => (
          <Subject kind="business" id={id} name={name} isPlain />
        )}
        nothingFoundMessage="Nothing found"
        maxDropdownHeight={240}
      />
      {error ? <ErrorPanel error={error} /> : undefined}
    </>
  );
}
