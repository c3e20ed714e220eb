import { describe, expect, test } from 'vitest';
import { maxSubscribers } from '../../../../../src/server/lib/subscribers.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';
import { sendNotice } from '../inbox/messages.ts';
import { openStream, type SseEvent } from '../inbox/sse-client.ts';

const path = '/_iam/events';
const namesOf = (events: readonly SseEvent[]) => events.map(({ name }) => name);

/** A request that the request log contains; its path identifies it. */
async function request(server: TestServer, name: string): Promise<void> {
  await server.admin.raw('GET', `/security/iam/v1/groups/${name}`);
}

const pathOf = ({ data }: SseEvent) =>
  String((data.request as { path: string } | undefined)?.path)
    .split('/')
    .at(-1);

describe('the stream of all events', () => {
  test('starts with clock and faults, and reports messages, requests and changes in one form', async () => {
    await using server = await startServer();
    await request(server, 'before');
    using stream = await openStream(server, `${path}?topics=inbox,requests,clock,faults`);
    expect(stream.response.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8' });
    const [clock, faults] = await stream.events(2);
    expect(clock).toMatchObject({ name: 'clock', data: { clock: { frozen: false, offset: 0 } } });
    expect(faults).toMatchObject({ name: 'faults', data: { faults: [] } });
    await request(server, 'after');
    expect((await stream.events(3))[2]).toMatchObject({ name: 'requests', data: { request: { status: 404 } } });
    await sendNotice(server.appContext, 'a@example.com');
    expect((await stream.events(4))[3]).toMatchObject({ name: 'inbox', data: { message: { to: 'a@example.com' } } });
    await send(server, '/_iam/clock', { method: 'PUT', body: { advance: '10m' } });
    expect((await stream.events(5))[4]).toMatchObject({ name: 'clock', data: { clock: { offset: 600 } } });
    const rule = { operation: 'groups.get', effect: { status: 503 } };
    await send(server, '/_iam/faults', { method: 'POST', body: rule });
    expect((await stream.events(6))[5]).toMatchObject({ name: 'faults', data: { faults: [{ matched: 0 }] } });
    await request(server, 'failing');
    expect(
      namesOf(await stream.events(8))
        .slice(6)
        .sort(),
    ).toEqual(['faults', 'requests']);
    await send(server, '/_iam/faults', { method: 'DELETE' });
    expect((await stream.events(9))[8]).toMatchObject({ name: 'faults', data: { faults: [] } });
  });

  test('contains only the selected topics', async () => {
    await using server = await startServer();
    using stream = await openStream(server, `${path}?topics=requests`);
    await sendNotice(server.appContext, 'a@example.com');
    await send(server, '/_iam/clock', { method: 'PUT', body: { advance: '10m' } });
    await request(server, 'one');
    expect(namesOf(await stream.events(1))).toEqual(['requests']);
  });

  test('reads and delivers no messages without the topic inbox', async () => {
    await using server = await startServer();
    await sendNotice(server.appContext, 'late+30s@inbox.example');
    server.clock.advance(60);
    const { messages } = server.appContext.store;
    const before = await messages.list();
    using stream = await openStream(server, `${path}?topics=clock`);
    const last = (await stream.events(1))[0]?.id ?? '';
    expect(await messages.list()).toEqual(before);
    using resumed = await openStream(server, `${path}?topics=inbox`, { 'Last-Event-ID': last });
    expect((await resumed.events(1))[0]).toMatchObject({ name: 'missed', data: { missed: ['inbox'] } });
    expect(await messages.list()).not.toEqual(before);
  });

  test('resumes after the last event, with none missing or duplicate', async () => {
    await using server = await startServer();
    const topics = `${path}?topics=requests,inbox`;
    const seen: string[] = [];
    let last = '';
    // The first request of the administrator client logs it in.
    await request(server, 'before');
    const expected = Array.from({ length: 230 }, (_, at) => `r${at}`);
    {
      using stream = await openStream(server, topics);
      await request(server, 'r0');
      const [event] = await stream.events(1);
      last = event?.id ?? '';
      if (event) seen.push(pathOf(event) ?? '');
    }
    for (const name of expected.slice(1)) await request(server, name);
    await sendNotice(server.appContext, 'a@example.com');
    for (const count of [3, 120, 107]) {
      using stream = await openStream(server, `${topics}&after=nothing`, { 'Last-Event-ID': last });
      for (const event of (await stream.events(count)).slice(0, count)) {
        last = event.id;
        seen.push(event.name === 'requests' ? (pathOf(event) ?? '') : event.name);
      }
    }
    expect(seen.filter((name) => name !== 'inbox')).toEqual(expected);
    expect(seen.filter((name) => name === 'inbox')).toHaveLength(1);
  });

  test('reports what is missing: evicted requests, another start, and a position that is none', async () => {
    await using server = await startServer({ flags: { 'request-log-size': '5' } });
    let last = '';
    {
      using stream = await openStream(server, `${path}?topics=requests,inbox`);
      await request(server, 'first');
      last = (await stream.events(1))[0]?.id ?? '';
    }
    for (let at = 0; at < 20; at += 1) await request(server, `r${at}`);
    using resumed = await openStream(server, `${path}?topics=requests`, { 'Last-Event-ID': last });
    const [missed, ...others] = await resumed.events(6);
    expect(missed).toMatchObject({ name: 'missed', data: { missed: ['requests'] } });
    expect(others.map(pathOf)).toEqual(['r15', 'r16', 'r17', 'r18', 'r19']);
    const foreign = last.replace(/^[^.]+/, 'another-start');
    using restarted = await openStream(server, `${path}?topics=requests,inbox`, { 'Last-Event-ID': foreign });
    expect((await restarted.events(1))[0]?.data).toEqual({ missed: ['requests'] });
    using unknown = await openStream(server, `${path}?topics=requests,inbox&after=x`);
    expect((await unknown.events(1))[0]?.data).toEqual({ missed: ['requests', 'inbox'] });
  });

  test('rejects unknown topics', async () => {
    await using server = await startServer();
    for (const topics of ['', 'x', 'inbox,', 'requests,toString', 'Inbox', 'requests;inbox'])
      expect(await send(server, `${path}?topics=${topics}`)).toMatchObject({ status: 400 });
  });

  test('shows codes only to callers that may read the inbox', async () => {
    const flags = { host: '0.0.0.0', 'allow-remote': true };
    await using server = await startServer({ flags });
    const basic = (id: string, secret: string) => ({
      Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    });
    const auditor = await server.makeClient({ authorities: ['IAM_ADMIN_READ_ONLY'] });
    const headers = basic(auditor.clientId, auditor.clientSecret);
    expect(await send(server, `${path}?topics=requests,inbox`, { headers })).toMatchObject({
      status: 403,
      body: [{ code: 'ROLE_MISSING' }],
    });
    expect(await send(server, path, { headers, headOnly: true })).toMatchObject({ status: 200 });
    const admin = basic(adminClient.clientId, adminClient.clientSecret);
    expect(await send(server, `${path}?topics=inbox`, { headers: admin, headOnly: true })).toMatchObject({
      status: 200,
    });
  });

  test('is open to 100 clients at once, and ends at the stop after the last event', async () => {
    const server = await startServer();
    await request(server, 'before');
    const streams = await Promise.all(Array.from({ length: maxSubscribers }, () => openStream(server, path)));
    expect(await send(server, path)).toMatchObject({ status: 429, body: [{ code: 'TOO_MANY_WAITERS' }] });
    await request(server, 'last');
    const stopping = server[Symbol.asyncDispose]();
    for (const stream of streams) {
      const events = await stream.events(3);
      expect(events.map(({ name }) => name)).toEqual(['clock', 'faults', 'requests']);
      expect(await stream.ended).toBe(true);
    }
    await stopping;
  });

  test('of a sandbox contains only what happens there', async () => {
    await using server = await startServer();
    await send(server, '/_iam/sandboxes', { method: 'POST', body: { name: 'one' } });
    using stream = await openStream(server, '/s/one/_iam/events?topics=requests');
    await request(server, 'outside');
    await send(server, '/s/one/security/iam/v1/groups/inside');
    expect((await stream.events(1)).map(pathOf)).toEqual(['inside']);
  });
});
