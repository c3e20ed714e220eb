/** The most expensive requests for each parser of external input. */
import { sign } from 'node:crypto';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { createCertificate } from '../../server/federation/certificates.ts';
import { samlResponse } from '../../server/federation/saml-responses.ts';
import { worstCertificates } from '../../server/federation/worst-certificates.ts';
import { worstResponses } from '../../server/federation/worst-responses.ts';

export interface Target {
  readonly url: string;
  readonly appClientId: string;
  /** Credentials of an administrator. */
  readonly authorization: string;
  /** Number of users, named user-0 and so on. */
  readonly members: number;
}

export interface Attack {
  readonly name: string;
  /** The accepted statuses. */
  readonly status: readonly number[];
  /** Returns the status. Inputs are prepared before, so that building them does not distort the measurement. */
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
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
}

function createFormAttacks({ url }: Target): Attack[] {
  const post = (body: string) => () =>
    fetchStatus(`${url}${servicePrefix}/client-identities/connect/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  return [
    { name: 'a form with many names', status: [400], send: post(repeat(90_000, (at) => `k${at}=`).join('&')) },
    { name: 'a form with long values', status: [400, 401], send: post(`a=${'%41'.repeat(300_000)}`) },
  ];
}

function createBodyAttacks({ url, authorization, members }: Target): Attack[] {
  const post = (path: string, body: string) =>
    fetchStatus(`${url}${servicePrefix}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    });
  const addMembers = (body: string) => () => post('/user-accesses/crowd/user-accounts', body);
  const createGroup = (body: string) => () => post('/groups', body);
  return [
    { name: 'unknown fields', status: [400], send: createGroup(`{${repeat(39_000, (at) => `"k${at}":0`)}}`) },
    { name: 'too many fields', status: [400], send: createGroup(`{${repeat(80_000, (at) => `"k${at}":0`)}}`) },
    { name: 'too many lists', status: [400], send: createGroup(`[${'[],'.repeat(300_000)}[]]`) },
    {
      name: 'a __proto__ field',
      status: [400],
      send: createGroup(`{${repeat(39_000, (at) => `"k${at}":0`)},"__proto__":0}`),
    },
    { name: 'escapes', status: [422], send: createGroup(`{"groupName":"${'\\u0061'.repeat(160_000)}"}`) },
    { name: 'invalid entries', status: [400], send: addMembers(`[${repeat(members, () => '{"a":1}')}]`) },
    {
      name: 'members',
      status: [200],
      send: addMembers(JSON.stringify(repeat(members, (at) => ({ userId: `user-${at}` })))),
    },
    {
      name: 'unknown members',
      status: [422],
      send: addMembers(JSON.stringify(repeat(members, (at) => ({ userId: `unknown-${at}` })))),
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
    { name: 'a query with many names', status: [200, 206], send: get(`${groups}?${'a&'.repeat(6_000)}`) },
    { name: 'a long cursor', status: [400], send: get(`${groups}?after=${'a'.repeat(14_000)}`) },
    { name: 'a path with many segments', status: [404], send: get(`${servicePrefix}/${'a/'.repeat(7_000)}`) },
    { name: 'a control-plane path with many segments', status: [404], send: get(`/_iam/${'a/'.repeat(7_000)}`) },
    {
      name: 'a Prefer header with many preferences',
      status: [200, 206],
      send: get(groups, { prefer: 'a=b;'.repeat(3_000) }),
    },
    { name: 'a long token', status: [401], send: get(groups, { authorization: `Bearer ${'a.'.repeat(7_000)}` }) },
    {
      name: 'long Basic credentials',
      status: [401],
      send: get(groups, { authorization: `Basic ${'A'.repeat(14_000)}` }),
    },
  ];
}

/** Requests that an unauthenticated caller can send with only a client id. */
function createAssertionAttacks({ url, appClientId }: Target): Attack[] {
  const post = (path: string, body: object) =>
    fetch(`${url}${servicePrefix}/user-identities/${path}?clientId=${appClientId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const clock = { now: () => new Date() };
  const certificate = createCertificate({ purposes: [2], keyUsage: [0] });
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
      const signature = sign('sha256', Buffer.from(token), certificate.privateKey).toString('base64');
      const chain = repeat(5, () => der.toString('base64'));
      const body = { token, certificate: certificate.der.toString('base64'), chain, signature };
      return (await post('digital-certificate/login', body)).status;
    },
  }));
  return [...bySaml, ...byCertificate];
}

async function createDumpAttacks({ url }: Target): Promise<Attack[]> {
  const dump = await (await fetch(`${url}/_iam/state/export`)).text();
  const put = (body: string) => () =>
    fetchStatus(`${url}/_iam/state/import?force=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  const tables = (users: string) => `{"formatVersion":1,"tables":{"users":[${users}]}}`;
  return [
    { name: 'a dump', status: [204], send: put(dump) },
    { name: 'a dump of numbers', status: [400, 422], send: put(tables(`${'0,'.repeat(3_000_000)}0`)) },
    { name: 'a dump of lists', status: [400, 422], send: put(tables(`${'[],'.repeat(900_000)}0`)) },
    { name: 'a dump with many names', status: [400], send: put(`{${repeat(600_000, (at) => `"k${at}":0`)}}`) },
    {
      name: 'the difference of two dumps',
      status: [200],
      send: () => fetchStatus(`${url}/_iam/state/diff?from=empty`, {}),
    },
  ];
}
