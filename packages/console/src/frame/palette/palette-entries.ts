/** What the palette offers for a text. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useConsole } from '../../api/console-context.ts';
import { extractToken } from '../../api/pasted-token.ts';
import { useRead } from '../../api/use-read.ts';
import type { IconName } from '../../components/icon.tsx';
import { shortenId } from '../../components/subject-id.ts';
import type { FrameDialog } from '../../components/top-bar/server-menu.tsx';
import { useLatestMessages } from '../../components/top-bar/use-latest-messages.ts';
import { pageList } from '../../pages/page-list.ts';

export interface PaletteEntry {
  readonly key: string;
  readonly label: string;
  readonly detail?: string | undefined;
  /** What it is: `Page`, `User`. */
  readonly kind: string;
  readonly icon: IconName;
  readonly dialog?: FrameDialog;
  readonly to?: { readonly to: string; readonly params?: unknown; readonly search?: unknown };
  /** Called before it opens. */
  prepare?(): void;
}

/** A pause in typing, in milliseconds. */
const pause = 150;
const foundLimit = 5;

export function usePaletteEntries(text: string): readonly PaletteEntry[] {
  const trimmed = text.trim();
  const actions = useActions();
  const pasted = usePasted(trimmed);
  const found = useFoundObjects(trimmed);
  if (pasted.some(({ key }) => key === 'token')) return pasted;
  const named = [...listPages(), ...actions].filter(({ label }) => matches(label, trimmed));
  const rank = ({ label, kind }: PaletteEntry) => {
    const own = rankLabel(label, trimmed);
    // A part inside the text of an action says little.
    return own === anyPart && kind === 'Action' ? own + 1 : own;
  };
  return [...pasted, ...[...named, ...found].toSorted((a, b) => rank(a) - rank(b))];
}

const anyPart = 3;

/** The label itself, its start, the start of one of its words, or any part of it. */
function rankLabel(label: string, text: string): number {
  const [name, part] = [label.toLowerCase(), text.toLowerCase()];
  if (name === part) return 0;
  if (name.startsWith(part)) return 1;
  return [' ', '.', '-', '_', ':'].some((mark) => name.includes(`${mark}${part}`)) ? 2 : anyPart;
}

function matches(label: string, text: string): boolean {
  const words = label.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

function listPages(): PaletteEntry[] {
  return pageList.map(({ path, title, icon, key }) => ({
    key: path,
    label: title,
    detail: `g ${key}`,
    kind: 'Page',
    icon,
    to: { to: path },
  }));
}

function useActions(): PaletteEntry[] {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const action = (label: string, icon: IconName, rest: Partial<PaletteEntry>): PaletteEntry => ({
    key: label,
    label,
    kind: 'Action',
    icon,
    ...rest,
  });
  return [
    action('Freeze, advance or set the clock', 'clock', { dialog: 'clock' }),
    action('Make the next login fail: add a fault', 'faults', { to: { to: '/faults' } }),
    action('Save, restore or compare states', 'state', { to: { to: '/state' } }),
    action('Reset to the seed', 'reset', { dialog: 'reset' }),
    action(`Use the ${next} colors`, next === 'dark' ? 'moon' : 'sun', { prepare: () => setColorScheme(next) }),
    action('Keyboard shortcuts', 'help', { dialog: 'keys' }),
  ];
}

/** A JSON Web Token. */
const tokenPattern = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
const codePattern = /^\d{4,10}$/;
const requestIdPattern = /^[0-9a-f]{12}-[0-9a-z]+$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function usePasted(text: string): PaletteEntry[] {
  const { pasted } = useConsole();
  const messages = useLatestMessages();
  const token = extractToken(text);
  if (tokenPattern.test(token)) {
    const prepare = () => pasted.put(token);
    return [
      { key: 'token', label: 'Inspect this token', kind: 'Token', icon: 'tokens', to: { to: '/tokens' }, prepare },
    ];
  }
  if (requestIdPattern.test(text)) {
    const to = { to: '/requests/$', params: { _splat: text } };
    return [{ key: 'request', label: 'Open this request', detail: text, kind: 'Request', icon: 'requests', to }];
  }
  const message = codePattern.test(text) ? messages.find(({ code }) => code === text) : undefined;
  if (message === undefined) return [];
  const to = { to: '/inbox/$', params: { _splat: message.id } };
  return [
    { key: 'code', label: `Code for ${message.to}`, detail: message.purpose, kind: 'Message', icon: 'inbox', to },
  ];
}

/** Users, groups, clients and corporate groups that the server finds by the text. */
function useFoundObjects(text: string): PaletteEntry[] {
  const [search] = useDebouncedValue(text, pause);
  const query = { search, limit: foundLimit };
  const options = { enabled: search.length > 1 && !tokenPattern.test(extractToken(search)), retry: false } as const;
  const users = useRead(
    ['users', 'palette', search],
    ({ control }, signal) => control.GET('/users', { params: { query }, signal }),
    options,
  );
  const groups = useRead(
    ['groups', 'palette', search],
    ({ control }, signal) => control.GET('/groups', { params: { query }, signal }),
    options,
  );
  const clients = useRead(
    ['clients', 'palette', search],
    ({ control }, signal) => control.GET('/clients', { params: { query }, signal }),
    options,
  );
  const corporateGroups = useRead(
    ['corporate-groups', 'palette', search],
    ({ control }, signal) => control.GET('/corporate-groups', { params: { query }, signal }),
    options,
  );
  if (!options.enabled) return [];
  const entry = (page: string, kind: string, icon: IconName, id: string, label = id): PaletteEntry => ({
    key: `${page}/${id}`,
    label,
    detail: label === id ? undefined : shortenId(id),
    kind,
    icon,
    to: { to: `${page}/$`, params: { _splat: id } },
  });
  return [
    ...(users.data?.map(({ userId, userName }) => entry('/users', 'User', 'user', userId, userName)) ?? []),
    ...(groups.data?.map(({ groupId, groupName }) => entry('/groups', 'Group', 'groups', groupId, groupName)) ?? []),
    ...(clients.data?.map(({ clientId, appId }) => entry('/clients', 'Client', 'clients', clientId, appId)) ?? []),
    ...(corporateGroups.data?.map(({ corporateGroupId: id, corporateGroupName: name }) =>
      entry('/corporate-groups', 'Corporate group', 'corporate-groups', id, name),
    ) ?? []),
  ];
}
