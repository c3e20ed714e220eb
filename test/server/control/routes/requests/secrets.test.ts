/** No secret that the server receives or issues appears in the request log or in the audit log. */
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../../../src/contract/manifest-types.ts';
import type { Operation } from '../../../../../src/contract/operation.ts';
import { servicePrefix } from '../../../../../src/contract/prefix.ts';
import { operations } from '../../../../../src/server/operations/index.ts';
import { isFullRun } from '../../../../effort.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { looksSecret } from '../../../../secret-names.ts';
import { createMemorySink } from '../../../audit/memory-sink.ts';
import { toJsonSchema } from '../../../property/request-generator.ts';
import { readAllPages, send } from '../../control-client.ts';

const canary = 'canary-that-opens-a-door';
const registry: readonly Operation<never>[] = Object.values(operations);

/** A value for each declared field: the canary in each field that is marked as sensitive or named like a secret. */
function createSecretValue(schema: JsonSchema, name = ''): unknown {
  if (schema.sensitive !== undefined || looksSecret(name)) return canary;
  const [first] = schema.anyOf ?? [];
  if (first) return createSecretValue(first, name);
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, inner]) => [key, createSecretValue(inner, key)]),
    );
  if (schema.type === 'array') return [createSecretValue(schema.items ?? {}, name)];
  if (schema.type === 'integer') return 1;
  return schema.type === 'boolean' ? true : String(schema.enum?.[0] ?? 'x');
}

const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const asAdmin = basic(adminClient.clientId, adminClient.clientSecret);
const query = `?password=${canary}&access_token=${canary}&anything=${canary}`;

async function sendAll(server: TestServer, { method, path: at, request }: Operation<never>): Promise<void> {
  const path = `${servicePrefix}${at.replaceAll(/\{\w+\}/g, 'x')}${query}`;
  const declared = request.body ? createSecretValue(toJsonSchema(request.body)) : undefined;
  const bodies = [
    declared,
    { ...Object(declared), wrong: canary },
    canary,
    [canary],
    [{ wrong: canary }],
    { '': { canary } },
  ];
  for (const headers of [asAdmin, basic('x', canary), { Authorization: `Bearer ${canary}` }, { 'X-Api-Key': canary }])
    await send(server, path, { method, headers, body: declared });
  for (const body of bodies) await send(server, path, { method, headers: asAdmin, body });
  const headers = { ...asAdmin, 'Content-Type': 'application/x-www-form-urlencoded' };
  await server.send({
    method,
    path,
    headers: Object.entries(headers),
    body: `password=${canary}&client_secret=${canary}`,
  });
}

/** Everything that the control plane returns about requests. */
async function readRecordedText(server: TestServer): Promise<string> {
  const { items } = await readAllPages(server, '/_iam/requests?limit=1000');
  const ids = (items as { readonly id: string }[]).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(0);
  const texts: string[] = [JSON.stringify(items)];
  for (const [at, id] of ids.entries()) {
    texts.push(JSON.stringify((await send(server, `/_iam/requests/${id}`)).body));
    // Each operation gets the same number of requests, no multiple of three: every position has its turn.
    if (isFullRun || ids.length < 100 || at % 3 === 0)
      texts.push(JSON.stringify((await send(server, `/_iam/requests/${id}/why`)).body));
  }
  return texts.join('\n');
}

describe('the request log', () => {
  test('contains no secret that is sent, to any operation in any position', async () => {
    const audit = createMemorySink();
    await using server = await startServer({ flags: { 'request-log-size': '5000' }, audit });
    for (const operation of registry) await sendAll(server, operation);
    const text = await readRecordedText(server);
    expect(text).not.toContain(canary);
    expect(text).not.toContain(btoa(`x:${canary}`));
    // Without any output the test would pass trivially.
    expect(text).toContain('(secret)');
    expect(audit.text()).not.toContain(canary);
    expect(audit.text()).not.toContain(btoa(`x:${canary}`));
    for (const { id } of registry.filter(({ audit }) => audit.kind !== 'read'))
      expect(audit.text()).toContain(`"operation":"${id}"`);
  });

  test('contains no secret that the server issued', async () => {
    const audit = createMemorySink();
    const seed = { users: [{ userId: 'ann', password: 'correct horse battery' }] };
    await using server = await startServer({ seed, audit });
    const { admin } = server;
    const client = await admin.clientIdentities.create({ body: { appId: 'a' } });
    const key = await admin.apiKey.create({ body: { appId: 'a', clientId: adminClient.clientId } });
    const token = await admin.clientIdentities.login();
    const secrets = [client.clientSecret, key.apiKey, token.accessToken, token.refreshToken].filter(Boolean);
    expect(secrets.length).toBeGreaterThan(2);
    const text = await readRecordedText(server);
    for (const secret of secrets) expect(text + audit.text()).not.toContain(secret);
    for (const output of [text, audit.text()]) expect(output).toContain(client.clientId);
  });
});
