/** The route table: exact paths, precedence, and the methods of a path. */
import { describe, expect, test } from 'vitest';
import { createRouter } from '../../../src/server/http/router.ts';

const routes = [
  { method: 'GET', path: '/groups' },
  { method: 'POST', path: '/groups' },
  { method: 'GET', path: '/groups/{groupId}' },
  { method: 'DELETE', path: '/groups/{groupId}' },
  { method: 'GET', path: '/groups/wait' },
  { method: 'POST', path: '/groups/{groupId}/role/{roleName}' },
  { method: 'GET', path: '/openapi.json' },
];
const router = createRouter(routes);

const pathOf = (method: string, path: string) => router.find(method, path)?.path;

describe('a route', () => {
  test('is found by its method and exact path', () => {
    expect(router.find('POST', '/groups')).toBe(routes[1]);
    expect(pathOf('DELETE', '/groups/ops')).toBe('/groups/{groupId}');
    expect(pathOf('POST', '/groups/a%2Fb/role/..')).toBe('/groups/{groupId}/role/{roleName}');
  });

  test.each([
    '',
    '/',
    'groups',
    '/groups/',
    '/Groups',
    '//groups',
    '/groups/ops/',
    '/groups//role/x',
    '/groups/ops/role',
    '/openapi-json',
    '/%67roups',
  ])('is not found at %j', (path) => {
    expect(['GET', 'POST', 'DELETE'].map((method) => router.find(method, path))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(router.methodsAt(path)).toEqual([]);
  });

  test('with a literal segment precedes one with a parameter, wherever it is declared', () => {
    for (const declared of [routes, routes.toReversed()])
      expect(createRouter(declared).find('GET', '/groups/wait')?.path).toBe('/groups/wait');
  });

  test('of GET serves HEAD', () => {
    expect(pathOf('HEAD', '/groups/ops')).toBe('/groups/{groupId}');
    expect(pathOf('HEAD', '/groups/ops/role/x')).toBeUndefined();
  });

  test.each(['get', 'PATCH', 'OPTIONS', '__proto__'])('is not found by method %s', (method) => {
    expect(pathOf(method, '/groups')).toBeUndefined();
  });
});

test('the methods of a path include those of every route that matches it, and HEAD with GET', () => {
  expect(router.methodsAt('/groups')).toEqual(['GET', 'HEAD', 'POST']);
  expect(router.methodsAt('/groups/wait')).toEqual(['GET', 'HEAD', 'DELETE']);
  expect(router.methodsAt('/groups/ops/role/x')).toEqual(['POST']);
});

test('two routes with the same method and path are refused', () => {
  const duplicate = { method: 'DELETE', path: '/groups/{name}' };
  expect(() => createRouter([...routes, duplicate])).toThrow('DELETE /groups/{name}');
  expect(() => createRouter([...routes, { ...duplicate, method: 'PUT' }])).not.toThrow();
});
