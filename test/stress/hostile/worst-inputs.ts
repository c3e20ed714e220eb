/** For each parser of what comes from outside the calls that cost it most. */
import { sign } from 'node:crypto';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { createCertificate } from '../../server/integrations/providers/certificates.ts';
import { samlResponse } from '../../server/integrations/providers/saml-responses.ts';
import { worstCertificates } from '../../server/integrations/providers/worst-certificates.ts';
import { worstResponses } from '../../server/integrations/providers/worst-responses.ts';

export interface Target {
  readonly url: string;
  readonly appClientId: string;
  /** That of an administrator. */
  readonly authorization: string;
  /** How many users there are: user-0 and on. */
  readonly members: number;
}

export interface Attack {
  readonly name: string;
  /** Those that are right answers. */
  readonly status: readonly number[];
  /** Gives the status of the answer. What is sent was made before, so that making it keeps nobody waiting here. */
  send(): Promise<number>;
}

function repeat<Value>(count: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

export async function createAttacks(target: Target): Promise<Attack[]> {
  return [
    ...createFormAttacks(target),
    ...createBodyAttacks(target),
    ...createHeaderAttacks(target),
    ...createAssertionAttacks(target),
    ...(await createDumpAttacks(target)),
  ];
}

async function fetchStatus(url: string, init: RequestInit): Promise<number> {
  const answer = await fetch(url, init);
  await answer.arrayBuffer();
  return answer.status;
}

function createFormAttacks({ url }: Target): Attack[] {
  const post = (body: string) => () =>
    fetchStatus(`${url}${servicePrefix}/client-identities/connect/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  return [
    { name: 'a form of many names', status: [400], send: post(repeat(90_000, (at) => `k${at}=`).join('&')) },
    { name: 'a form of long values', status: [400, 401], send: post(`a=${'%41'.repeat(300_000)}`) },
  ];
}

function createBodyAttacks({ url, authorization, members }: Target): Attack[] {
  const post = (path: string, body: string) =>
    fetchStatus(`${url}${servicePrefix}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    });
  const crowd = (body: string) => () => post('/user-accesses/crowd/user-accounts', body);
  const group = (body: string) => () => post('/groups', body);
  return [
    { name: 'unknown fields', status: [400], send: group(`{${repeat(39_000, (at) => `"k${at}":0`)}}`) },
    { name: 'too many fields', status: [400], send: group(`{${repeat(80_000, (at) => `"k${at}":0`)}}`) },
    { name: 'too many lists', status: [400], send: group(`[${'[],'.repeat(300_000)}[]]`) },
    {
      name: 'a field that reaches into prototypes',
      status: [400],
      send: group(`{${repeat(39_000, (at) => `"k${at}":0`)},"__proto__":0}`),
    },
    { name: 'escapes', status: [422], send: group(`{"groupName":"${'\\u0061'.repeat(160_000)}"}`) },
    { name: 'entries that are none', status: [400], send: crowd(`[${repeat(members, () => '{"a":1}')}]`) },
    {
      name: 'members',
      status: [200],
      send: crowd(JSON.stringify(repeat(members, (at) => ({ userId: `user-${at}` })))),
    },
    {
      name: 'members who are nobody',
      status: [422],
      send: crowd(JSON.stringify(repeat(members, (at) => ({ userId: `nobody-${at}` })))),
    },
  ];
}

function createHeaderAttacks({ url, authorization }: Target): Attack[] {
  const get =
    (path: string, headers: Record<string, string> = {}) =>
    () =>
      fetchStatus(url + path, { headers: { authorization, ...headers } });
  const groups = `${servicePrefix}/groups`;
  return [
    { name: 'a query that is not text', status: [200, 206], send: get(`${groups}?${'%FF&'.repeat(3_000)}`) },
    { name: 'a query of many names', status: [200, 206], send: get(`${groups}?${'a&'.repeat(6_000)}`) },
    { name: 'a long cursor', status: [400], send: get(`${groups}?after=${'a'.repeat(14_000)}`) },
    { name: 'a path of many parts', status: [404], send: get(`${servicePrefix}/${'a/'.repeat(7_000)}`) },
    { name: 'a path of the control plane', status: [404], send: get(`/_iam/${'a/'.repeat(7_000)}`) },
    { name: 'preferences', status: [200, 206], send: get(groups, { prefer: 'a=b;'.repeat(3_000) }) },
    { name: 'a long token', status: [401], send: get(groups, { authorization: `Bearer ${'a.'.repeat(7_000)}` }) },
    { name: 'a long pair', status: [401], send: get(groups, { authorization: `Basic ${'A'.repeat(14_000)}` }) },
  ];
}

/** As far as a stranger comes, who knows the name of a client. */
function createAssertionAttacks({ url, appClientId }: Target): Attack[] {
  const post = (path: string, body: object) =>
    fetch(`${url}${servicePrefix}/user-identities/${path}?clientId=${appClientId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const clock = { now: () => new Date() };
  const leaf = createCertificate({ purposes: [2], keyUsage: [0] });
  const bySaml = worstResponses.map(([name, options]) => {
    const body = { samlResponse: samlResponse({ url, clock }, options) };
    return {
      name: `a SAML response of ${name}`,
      status: [401],
      send: async () => (await post('renew-app-token', body)).status,
    };
  });
  const byCertificate = worstCertificates.map(([name, { der }]) => ({
    name: `a chain of certificates of ${name}`,
    status: [401],
    async send() {
      const { token } = (await (await post('digital-certificate/token', {})).json()) as { token: string };
      const signature = sign('sha256', Buffer.from(token), leaf.privateKey).toString('base64');
      const chain = repeat(5, () => der.toString('base64'));
      const body = { token, certificate: leaf.der.toString('base64'), chain, signature };
      return (await post('digital-certificate/login', body)).status;
    },
  }));
  return [...bySaml, ...byCertificate];
}

async function createDumpAttacks({ url }: Target): Promise<Attack[]> {
  const state = await (await fetch(`${url}/_iam/state/export`)).text();
  const put = (body: string) => () =>
    fetchStatus(`${url}/_iam/state/import?force=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  const tables = (users: string) => `{"formatVersion":1,"tables":{"users":[${users}]}}`;
  return [
    { name: 'a state', status: [204], send: put(state) },
    { name: 'a state of numbers', status: [400, 422], send: put(tables(`${'0,'.repeat(3_000_000)}0`)) },
    { name: 'a state of lists', status: [400, 422], send: put(tables(`${'[],'.repeat(900_000)}0`)) },
    { name: 'a state of names', status: [400], send: put(`{${repeat(600_000, (at) => `"k${at}":0`)}}`) },
    {
      name: 'the difference of two states',
      status: [200],
      send: () => fetchStatus(`${url}/_iam/state/diff?from=empty`, {}),
    },
  ];
}
