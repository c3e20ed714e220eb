/** Selects one entry of a long list: the server searches as one types. */
import { Select, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { useNames } from '../../../api/use-names.ts';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { Subject, type SubjectKind } from '../../../components/subject.tsx';
import { type EntityKind, entityReaders, type SelectEntry } from './entity-readers.ts';

interface EntitySelectProps {
  readonly label: string;
  readonly description?: string;
  readonly kind: EntityKind;
  readonly value: string | undefined;
  onChange(value: string | undefined): void;
  readonly isRequired?: boolean;
  readonly error?: ReactNode;
  /** Of the field of a form. */
  readonly 'data-path'?: string;
  /** In the line of filters of a list, where the shortcut `/` finds it. */
  readonly isFilter?: boolean;
}

/** The props of the select of a field, whose value is empty until one is chosen. */
export function toSelectProps<Values extends object>(form: UseFormReturnType<Values>, name: keyof Values & string) {
  const { error, 'data-path': path, value }: FieldProps = form.getInputProps(name);
  return {
    error,
    'data-path': path ?? name,
    value: value || undefined,
    onChange: (next: string | undefined) => form.setFieldValue(name, (next ?? '') as never),
  };
}

interface FieldProps {
  readonly error?: ReactNode;
  readonly 'data-path'?: string;
  readonly value?: string;
}

export const pauseInTyping = 250;

/** What the server finds. */
export function useFoundEntries(kind: EntityKind, search: string | undefined) {
  const { noun, read } = entityReaders[kind];
  const clients = useConsole();
  return useQuery({
    queryKey: [noun, 'select', kind, search],
    queryFn: ({ signal }) => read(clients, search, signal),
    placeholderData: keepPreviousData,
  });
}

export function EntitySelect(props: EntitySelectProps) {
  const { label, description, kind, value, onChange, isFilter = false, isRequired = !isFilter } = props;
  const { subject } = entityReaders[kind];
  const [text, setText] = useState('');
  // Leaving the field deletes a text that was not chosen from the list.
  const [deleted, setDeleted] = useState<string | undefined>();
  const [chosen, setChosen] = useState<SelectEntry | undefined>();
  const [search] = useDebouncedValue(text, pauseInTyping);
  const selected = useSelected(subject, value, chosen);
  // With an entry selected, the field shows its label, which is no search.
  const searched = search === '' || search === selected?.label ? undefined : search;
  const { data = [], error } = useFoundEntries(kind, searched);
  const isListed = data.some((entry) => entry.value === selected?.value);
  const entries = selected === undefined || isListed ? data : [...data, selected];
  return (
    <>
      <Select
        {...(isFilter ? { 'aria-label': label, placeholder: label, 'data-search': '' } : { label })}
        description={description}
        required={isRequired}
        error={deleted === undefined ? props.error : `"${deleted}" is not chosen: choose an entry of the list.`}
        data-path={props['data-path']}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
        data={entries}
        value={value ?? null}
        onChange={(next) => {
          setDeleted(undefined);
          setChosen(entries.find((entry) => entry.value === next));
          onChange(next ?? undefined);
        }}
        searchValue={text}
        onSearchChange={setText}
        onFocus={() => setDeleted(undefined)}
        onBlur={() => setDeleted(isFilter || text === '' || text === selected?.label ? undefined : text)}
        filter={({ options }) => options}
        renderOption={({ option: { value: id, label: name } }) => (
          <span>
            <Subject kind={subject} id={id} name={name} isPlain />
            <Note text={entries.find((entry) => entry.value === id)?.note} />
          </span>
        )}
        nothingFoundMessage="Nothing found"
        maxDropdownHeight={240}
      />
      {error ? <ErrorPanel error={error} /> : undefined}
    </>
  );
}

/** The entry of a value: the one that was chosen here, or of an id in the address, whose name is read. */
function useSelected(kind: SubjectKind, value: string | undefined, chosen: SelectEntry | undefined) {
  const isChosen = value === chosen?.value;
  const nameOf = useNames(value === undefined || isChosen || kind === 'service' ? [] : [value]);
  if (value === undefined || isChosen) return value === undefined ? undefined : chosen;
  return { value, label: (kind === 'service' ? undefined : nameOf(kind, value)) ?? value };
}

function Note({ text }: { readonly text: string | undefined }) {
  return text === undefined ? undefined : (
    <Text span size="xs" c="dimmed">
      {' '}
      {text}
    </Text>
  );
}
