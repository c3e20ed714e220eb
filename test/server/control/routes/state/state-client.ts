/** Requests to the state routes, and the comparisons of their tests. */
import { expect } from 'vitest';
import type { TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';

export const seed = {
  clients: [{ clientId: 'billing', clientSecret: 'secret-of-billing', authorities: ['DEPLOY'] }],
  businesses: [{ businessId: 'acme', businessName: 'Acme', document: '4711' }],
  users: [
    { userId: 'alice', userName: 'alice.a', password: 'a long enough pass phrase', userEmail: 'alice@example.com' },
    { userId: 'bob', userName: 'bob.b' },
  ],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['alice'] }],
};

export async function reset(server: TestServer, body?: unknown): Promise<void> {
  expect(await send(server, '/_iam/state/reset', { method: 'POST', body })).toMatchObject({ status: 204 });
}

export async function exportState(server: TestServer): Promise<string> {
  const { status, text } = await sendText(server, '/_iam/state/export');
  expect(status).toBe(200);
  return text;
}

export function importState(server: TestServer, text: string, query = '') {
  return sendText(server, `/_iam/state/import${query}`, text);
}

/** Sends text as JSON and returns the response as text. */
export async function sendText(server: TestServer, path: string, body?: string) {
  const response = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, text, code: /"code":"([A-Z_]+)"/.exec(text)?.[1], headers: response.headers };
}

/** Everything that is not random: without keys and without generated ids and times. */
export async function readStableTables(server: TestServer): Promise<unknown> {
  const { signingKeys: _, storeSecrets: __, ...tables } = await server.dump();
  const placeholders = new Map<string, string>();
  const text = JSON.stringify(tables, (name, value) => (/^(passwordHash|createdAt)$/.test(name) ? 'one' : value));
  const stable = text.replaceAll(/\b[0-9a-f]{24}\b/g, (id) => {
    if (!placeholders.has(id)) placeholders.set(id, `id ${placeholders.size}`);
    return placeholders.get(id) ?? id;
  });
  return JSON.parse(stable);
}
