/** Each route of the control plane has a command and a library method, or a reason why not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { type IamServer, startServer } from '../../src/testing/index.ts';
import { readCatalogue } from '../cli/conformance/example-runner.ts';

const reasons = {
  document: 'a document or a file, for browsers and tools',
  raw: 'the library sends it with iam.client.raw',
  process: 'part of the options of startServer, or of the memory of the test process',
  browser: 'for browsers that a program drives, which need a cookie',
  missing: 'not there yet: iam api and iam.client.raw send the request',
} as const;

type Reason = keyof typeof reasons;
interface Access {
  /** A command of the catalogue, or why there is none. */
  readonly command: string | { readonly reason: Reason };
  /** A method of a server of the library, or why there is none. */
  readonly library: string | { readonly reason: Reason };
}

const because = (reason: Reason) => ({ reason });
const list = (command: string): Access => ({ command, library: because('raw') });
const document: Access = { command: because('document'), library: because('document') };

/** By the id of the route. */
const accessOf: Readonly<Record<string, Access>> = {
  'control.api-key': list('api-key get'),
  'control.api-key-rotate': list('api-key rotate'),
  'control.api-keys': list('api-key search'),
  'control.audit': list('audit'),
  'control.business': list('businesses get'),
  'control.businesses': list('businesses list'),
  'control.client': list('clients get'),
  'control.client-rotate-secret': list('clients rotate-secret'),
  'control.clients': list('clients list'),
  'control.clock': { command: 'clock show', library: 'clock.now' },
  'control.corporate-groups': list('corporate-groups search'),
  'control.coverage': list('coverage'),
  'control.coverage-clear': list('coverage'),
  'control.create-browser-session': { command: { reason: 'browser' }, library: 'browser.login' },
  'control.create-session': { command: 'sessions create', library: 'signIn' },
  'control.create-user': list('users create'),
  'control.customer': list('customers get'),
  'control.customers': list('customers list'),
  'control.docs': document,
  'control.docs-file': document,
  'control.end-sessions': list('sessions end'),
  'control.events': { command: 'events', library: 'client.events' },
  'control.faults': { command: 'faults list', library: 'faults.list' },
  'control.faults-add': { command: 'faults add', library: 'faults.add' },
  'control.faults-remove': { command: 'faults remove', library: 'faults.remove' },
  'control.group-graph': list('groups tree'),
  'control.group-members': list('groups members'),
  'control.groups': list('groups search'),
  'control.inbox': { command: 'inbox list', library: 'inbox.list' },
  'control.inbox-empty': { command: 'inbox clear', library: 'inbox.clear' },
  'control.inbox-events': { command: 'events', library: 'inbox.waitFor' },
  'control.inbox-wait': { command: 'inbox wait', library: 'inbox.waitFor' },
  'control.keys': list('keys list'),
  'control.keys-rotate': list('keys rotate'),
  'control.memberships': list('export'),
  'control.metric-series': list('metrics'),
  'control.metrics': document,
  'control.openapi': document,
  'control.names': list('groups members'),
  'control.request': { command: 'requests show', library: 'requests.get' },
  'control.request-why': list('why'),
  'control.requests': { command: 'requests list', library: 'requests.list' },
  'control.requests-wait': { command: 'requests wait', library: 'requests.waitFor' },
  'control.revoke': list('logout'),
  'control.sandbox-create': { command: 'sandbox create', library: 'sandboxes.create' },
  'control.sandbox-delete': { command: 'sandbox delete', library: 'sandboxes.delete' },
  'control.sandboxes': { command: 'sandbox list', library: 'sandboxes.list' },
  'control.seed-apply': { command: 'state seed', library: 'seed' },
  'control.sessions': list('sessions list'),
  'control.set-clock': { command: 'clock set', library: 'clock.set' },
  'control.revoke-consent': list('users revoke-consent'),
  'control.set-password': list('users set-password'),
  'control.settings': { command: 'doctor', library: because('process') },
  'control.snapshot-delete': list('state delete'),
  'control.snapshot-restore': list('state restore'),
  'control.snapshot-save': list('state save'),
  'control.snapshots': list('state list'),
  'control.state-diff': list('state diff'),
  'control.state-diff-objects': list('state diff'),
  'control.state-export': list('state export'),
  'control.state-import': list('state import'),
  'control.state-reset': { command: 'state reset', library: 'reset' },
  'control.store-backup': { command: 'store backup', library: because('process') },
  'control.token-inspect': list('token inspect'),
  'control.token-issue': { command: 'token issue', library: 'tokens.issue' },
  'control.update-client': list('clients update'),
  'control.user': list('users get'),
  'control.user-factor': list('users factors get'),
  'control.user-factors': list('users factors list'),
  'control.user-role-path': { command: 'can', library: because('raw') },
  'control.users': list('users list'),
};

let iam: IamServer;
let commands: ReadonlySet<string>;
beforeAll(async () => {
  iam = await startServer();
  commands = new Set((await readCatalogue()).map(({ command }) => command));
});
afterAll(() => iam.stop());

test('the table lists each route once', () => {
  expect(Object.keys(accessOf).sort()).toEqual(controlRoutes.map(({ id }) => id).sort());
});

describe('each route', () => {
  test.each(controlRoutes.map(({ id }) => id))('%s has a command and a library method, or a reason', (id) => {
    const { command, library } = accessOf[id] ?? {};
    if (typeof command === 'string') expect(commands).toContain(command);
    else expect(reasons).toHaveProperty(command?.reason ?? 'none');
    if (typeof library === 'string') expect(typeof memberOf(iam, library)).toBe('function');
    else expect(reasons).toHaveProperty(library?.reason ?? 'none');
  });
});

test('what is missing is known', () => {
  const missing = Object.entries(accessOf).flatMap(([id, { command, library }]) =>
    [command, library].some((one) => typeof one !== 'string' && one.reason === 'missing') ? [id] : [],
  );
  expect(missing).toEqual([]);
});

/** `inbox.list` of a server. */
function memberOf(server: object, name: string): unknown {
  return name.split('.').reduce<unknown>((owner, key) => (owner as Record<string, unknown> | undefined)?.[key], server);
}
