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

interface FilterLineProps {
  readonly children: ReactNode;
  /** What the list contains, at the end of the line. */
  readonly status?: ReactNode;
}

/** The search and the filters of a list, in one line that stays visible. A phone shows the search, and the others on request. */
export function FilterLine({ children, status }: FilterLineProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div className="filters" data-open={isOpen || undefined}>
      {children}
      <Button
        className="filters-toggle"
        variant="default"
        leftSection={<Icon name="filter" />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        Filters
      </Button>
      {status}
    </div>
  );
}
