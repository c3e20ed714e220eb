/** Ctrl-K: finds pages, objects and actions by name, and opens what was pasted: a token, a code, a request id. */
import { Modal, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import type { FrameDialog } from '../../components/top-bar/server-menu.tsx';
import { type PaletteEntry, usePaletteEntries } from './palette-entries.ts';

interface PaletteProps {
  readonly isOpen: boolean;
  onClose(): void;
  onOpen(dialog: FrameDialog): void;
}

export function Palette({ isOpen, onClose, onOpen }: PaletteProps) {
  return (
    // Without a transition, and with `autoFocus`, its field is there for the key that follows the one that opens it.
    <Modal.Root opened={isOpen} onClose={onClose} size={600} yOffset="12dvh" transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label="Search and actions">
        <PaletteSearch onClose={onClose} onOpen={onOpen} />
      </Modal.Content>
    </Modal.Root>
  );
}

function PaletteSearch({ onClose, onOpen }: Omit<PaletteProps, 'isOpen'>) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  const navigate = useNavigate();
  const entries = usePaletteEntries(text);
  const active = Math.min(at, entries.length - 1);
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.prepare?.();
    if (entry.dialog !== undefined) onOpen(entry.dialog);
    else if (entry.to !== undefined) void navigate(entry.to as never);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((active + step + entries.length) % Math.max(entries.length, 1));
    } else if (event.key === 'Enter') choose(entries[active]);
  };
  return (
    <>
      <TextInput
        autoFocus
        data-autofocus
        role="combobox"
        aria-label="Search"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={entries.length === 0 ? undefined : `${listId}-${active}`}
        placeholder="A page, a name, an action, or paste a token, a code or a request id"
        leftSection={<Icon name="search" />}
        variant="unstyled"
        className="palette-search"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Results" className="palette-list">
        {entries.map((entry, index) => (
          <PaletteRow
            key={entry.key}
            id={`${listId}-${index}`}
            entry={entry}
            isActive={index === active}
            onPoint={() => setAt(index)}
            onChoose={() => choose(entry)}
          />
        ))}
      </div>
      {entries.length === 0 ? (
        <Text c="dimmed" p="md" role="status">
          Nothing is called that.
        </Text>
      ) : undefined}
    </>
  );
}

interface PaletteRowProps {
  readonly id: string;
  readonly entry: PaletteEntry;
  readonly isActive: boolean;
  onPoint(): void;
  onChoose(): void;
}

function PaletteRow({ id, entry: { icon, label, detail, kind }, isActive, onPoint, onChoose }: PaletteRowProps) {
  return (
    // biome-ignore lint/a11y: the field has the focus and the keys.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="palette-row"
      ref={(row) => {
        if (isActive) row?.scrollIntoView({ block: 'nearest' });
      }}
      onMouseMove={isActive ? undefined : onPoint}
      onClick={onChoose}
    >
      <Icon name={icon} />
      <span className="palette-label">
        <bdi>{label}</bdi>
      </span>
      {detail === undefined ? undefined : <span className="palette-detail">{detail}</span>}
      <span className="palette-kind">{kind}</span>
    </div>
  );
}
