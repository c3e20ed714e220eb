/** Tokens as they are pasted into the console. */
import { expect, test } from 'vitest';
import { extractToken } from '../../src/api/pasted-token.ts';

const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln_bmF0-dXJl';

test.each([
  [token],
  [`  ${token}\n`],
  [`Bearer ${token}`],
  [`bearer  ${token}`],
  [`Authorization: Bearer ${token}`],
  [`authorization:Bearer ${token}`],
  [`-H 'Authorization: Bearer ${token}'`],
  [`-H "authorization: Bearer ${token}"`],
  [`"${token}"`],
  [`'${token}'`],
  [`"accessToken": "${token}",`],
  [`{"accessToken":"${token}"}`],
  [`IAM_TOKEN=${token}`],
  [`2026-11-29 12:00:01 DEBUG "Authorization: Bearer ${token}",`],
  [`GET /groups?token=${token}&a=1 HTTP/1.1`],
])('the token is found in %s', (text) => {
  expect(extractToken(text)).toBe(token);
});

test.each([['two words'], ['Basic a:b'], ['abc=='], ['']])('%j stays as it is', (text) => {
  expect(extractToken(text)).toBe(text);
});
