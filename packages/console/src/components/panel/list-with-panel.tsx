/** A list with the open row: beside it, or above it on narrow screens. */
import { ActionIcon, Drawer, Group, Kbd, Title, Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { RowPanelState } from '../../api/use-row-panel.ts';
import { Icon, type IconName } from '../icon.tsx';
import { useKeys } from '../keys/use-keys.ts';

interface ListWithPanelProps {
  /** Of the open row: what it is. */
  readonly title: string;
  readonly panel: RowPanelState;
  /** The open row. */
  readonly detail: ReactNode;
  /** The list. */
  readonly children: ReactNode;
}

export function ListWithPanel({ title, panel, detail, children }: ListWithPanelProps) {
  const { openKey, isBeside, close } = panel;
  return (
    <div className="split">
      <div className="split-list">{children}</div>
      {isBeside ? (
        <SidePanel title={title} panel={panel}>
          {detail}
        </SidePanel>
      ) : (
        <Drawer
          opened={openKey !== undefined}
          onClose={() => hasDialogAbove() || close()}
          position="right"
          size="xl"
          title={title}
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          {openKey === undefined ? undefined : detail}
        </Drawer>
      )}
    </div>
  );
}

/** Escape closes only the dialog of an action, which is above this one. */
function hasDialogAbove(): boolean {
  return document.querySelectorAll('[role="dialog"]').length > 1;
}

interface SidePanelProps {
  readonly title: string;
  readonly panel: RowPanelState;
  readonly children: ReactNode;
}

function SidePanel({ title, panel, children }: SidePanelProps) {
  const { openKey, previous, next, open, close } = panel;
  const section = useRef<HTMLElement>(null);
  const openPrevious = previous === undefined ? undefined : () => open(previous);
  const openNext = next === undefined ? undefined : () => open(next);
  useKeys({ j: openNext, k: openPrevious, Escape: close });
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each row that opens
  useEffect(() => {
    section.current?.focus({ preventScroll: true });
    section.current?.scrollTo({ top: 0 });
  }, [openKey]);
  return (
    <section className="split-panel" aria-label={title} ref={section} tabIndex={-1}>
      <Group className="split-head" gap={4} wrap="nowrap">
        <Title order={2} size="h4" flex={1}>
          {title}
        </Title>
        <PanelButton label="Previous row" shortcut="k" icon="chevron-up" onClick={openPrevious} />
        <PanelButton label="Next row" shortcut="j" icon="chevron" onClick={openNext} />
        <PanelButton label="Close" shortcut="Esc" icon="close" onClick={close} />
      </Group>
      <div className="split-content">{children}</div>
    </section>
  );
}

interface PanelButtonProps {
  readonly label: string;
  readonly shortcut: string;
  readonly icon: IconName;
  /** Without it, there is nothing to do. */
  readonly onClick: (() => void) | undefined;
}

function PanelButton({ label, shortcut, icon, onClick }: PanelButtonProps) {
  return (
    <Tooltip
      label={
        <>
          {label} <Kbd size="xs">{shortcut}</Kbd>
        </>
      }
      portalProps={{ target: '#page' }}
    >
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={label}
        aria-keyshortcuts={shortcut === 'Esc' ? 'Escape' : shortcut}
        disabled={onClick === undefined}
        onClick={onClick}
      >
        <Icon name={icon} />
      </ActionIcon>
    </Tooltip>
  );
}
