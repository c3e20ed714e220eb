/** The search field of a page: `/` focuses it, and its text is a filter in the URL after a pause in typing. */
import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from './icon.tsx';

interface SearchInputProps {
  readonly label: string;
  readonly value: string | undefined;
  onChange(value: string | undefined): void;
}

const pause = 250;

export function SearchInput({ label, value = '', onChange }: SearchInputProps) {
  const [text, setText] = useState(value);
  const apply = useDebouncedCallback((typed: string) => onChange(typed === '' ? undefined : typed), pause);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      // The shortcut `/` finds it.
      data-search=""
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" />}
      type="search"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        apply(currentTarget.value);
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.blur();
      }}
    />
  );
}

/** How many of them are set. */
export function countFilters(filters: Readonly<Record<string, string | undefined>>): number {
  return Object.values(filters).filter((value) => value !== undefined).length;
}

interface FilterLineProps {
  readonly children: ReactNode;
  /** Those that a phone shows on request, by their parameters of the URL. */
  readonly filters?: Readonly<Record<string, string | undefined>>;
  /** What the list contains, at the end of the line. */
  readonly status?: ReactNode;
}

/** The search and the filters of a list, in one line that stays visible. A phone shows the search, and the others on request. */
export function FilterLine({ children, filters = {}, status }: FilterLineProps) {
  const count = countFilters(filters);
  const [isOpen, { toggle }] = useDisclosure(count > 0);
  return (
    <div className="filters" data-open={isOpen || undefined}>
      {children}
      <Button
        className="filters-toggle"
        variant={count > 0 ? 'light' : 'default'}
        leftSection={<Icon name="filter" />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        Filters{count > 0 ? ` · ${count}` : ''}
      </Button>
      {status}
    </div>
  );
}
