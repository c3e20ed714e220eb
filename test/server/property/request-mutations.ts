/** Mutations of path, method, query and headers of a request. */
import fc from 'fast-check';
import { type Mutation, withHeaders } from './mutation.ts';
import { drawOne } from './request-generator.ts';

const oddSegments = ['%ZZ', '%FF', '%', '%00', '%0d%0aX:%20y', '%2F', '%2e%2e', '..', '.', '__proto__', 'constructor'];
const oddHeaders: readonly (readonly [string, string])[] = [
  ['If-Match', 'garbage'],
  ['If-Match', '"a", W/"b", *'],
  ['Accept', ';;;q=,'],
  ['Accept', 'application/x-pem-file;q=0'],
  ['Origin', 'no origin'],
  ['Cookie', '__proto__=1; a'],
  ['X-Forwarded-For', '\u00ff'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['Range', 'bytes=9-1'],
  ['Transfer-Encoding', 'chunked'],
  ['Upgrade', 'h2c'],
  ['X-HTTP-Method-Override', 'DELETE'],
];
const oddAuthorizations = [
  '',
  'Basic',
  'Basic ====',
  'Bearer',
  'Bearer a.b.c',
  'Bearer \u00ff',
  'x',
  '  ',
  'Basic Og==',
];

export const requestMutations: Readonly<Record<string, Mutation>> = {
  'no change': (_, draft) => ({ draft }),

  'an odd value in the path': (draw, draft, { operation }) => {
    const candidates = operation.path
      .split('/')
      .slice(1)
      .flatMap((segment, at) => (segment.startsWith('{') ? [at] : []));
    if (candidates.length === 0) return undefined;
    const at = drawOne(draw, candidates);
    const random = encodeURIComponent(draw(fc.string, { unit: 'binary-ascii', minLength: 1 }));
    const value = drawOne(draw, [...oddSegments, 'x'.repeat(200), '%F0%9F%A6%8A', random]);
    return { draft: { ...draft, segments: draft.segments.with(at, value) } };
  },
  'an unknown path': (draw, draft) => {
    const more = drawOne(draw, ['', 'nothing', '%ZZ', '__proto__']);
    return { draft: { ...draft, segments: [...draft.segments, 'nothing', more] }, isRejected: true, statuses: [404] };
  },
  'a truncated or doubled path': (draw, draft) => {
    const segments = drawOne(draw, [
      draft.segments.slice(0, -1),
      [...draft.segments, ''],
      [...draft.segments, ...draft.segments],
    ]);
    return { draft: { ...draft, segments } };
  },
  'another method': (draw, draft) => {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'SEARCH'];
    return {
      draft: {
        ...draft,
        method: drawOne(
          draw,
          methods.filter((method) => method !== draft.method),
        ),
      },
    };
  },

  'a query value of the wrong type': (draw, draft, { operation }) => {
    const [name, schema] = drawOne(draw, [...Object.entries(operation.request.query ?? {}), undefined]) ?? [];
    if (name === undefined || schema === undefined) return undefined;
    const value = drawOne(draw, ['', '%00', '%ZZ', '%FF', 'x'.repeat(2000)]);
    const query = [...draft.query.filter((part) => !part.startsWith(`${name}=`)), `${name}=${value}`];
    const isRejected = operation.statuses.includes(400);
    return {
      draft: { ...draft, query },
      isRejected,
      ...(name === 'after' || !isRejected ? {} : { field: name }),
    };
  },
  'a repeated query parameter': (draw, draft, { operation }) => {
    const names = Object.keys(operation.request.query ?? {});
    if (names.length === 0) return undefined;
    const field = drawOne(draw, names);
    const query = [...draft.query, `${field}=1`, `${field}=2`];
    const isRejected = operation.statuses.includes(400);
    return { draft: { ...draft, query }, isRejected, ...(isRejected ? { field } : {}) };
  },
  'an odd query': (draw, draft) => {
    const parts = [
      '__proto__=1',
      'constructor[prototype]=1',
      'limit[]=1',
      '=',
      '&&&',
      '%ZZ=%FF',
      'a'.repeat(3000),
      '?',
      '%00',
    ];
    return { draft: { ...draft, query: [...draft.query, drawOne(draw, parts), drawOne(draw, parts)] } };
  },

  'an odd header': (draw, draft) => ({ draft: withHeaders(draft, drawOne(draw, oddHeaders)) }),
  'a missing header': (draw, draft, { operation }) => {
    const needed = Object.entries(operation.request.headers ?? {}).filter(
      ([, schema]) => !schema.safeParse(undefined).success,
    );
    if (needed.length === 0 || !operation.statuses.includes(400)) return undefined;
    const [field] = drawOne(draw, needed);
    return { draft: { ...draft, headers: draft.headers.filter(([name]) => name !== field) }, isRejected: true, field };
  },
  'headers that are too large': (draw, draft) => ({
    draft: withHeaders(draft, ['X-Large', 'x'.repeat(draw(fc.integer, { min: 41_000, max: 60_000 }))]),
    isRejected: true,
    statuses: [431],
  }),
  'odd credentials': (draw, draft, { operation }) => ({
    draft: withHeaders(draft, ['Authorization', drawOne(draw, oddAuthorizations)]),
    isRejected: operation.auth === 'caller',
    ...(operation.auth === 'caller' ? { statuses: [401] } : {}),
  }),
  'credentials twice': (draw, draft, { operation }) => {
    const more = drawOne(draw, [
      ['X-Api-Key', 'x'],
      ['Authorization', 'Bearer x'],
    ] as const);
    return { draft: { ...draft, headers: [...draft.headers, more] }, isRejected: operation.auth === 'caller' };
  },
};
