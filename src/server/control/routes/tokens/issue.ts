import * as z from 'zod';
import { exampleText, optionalText } from '../../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { issueTestToken } from '../../../auth/issue-test-token.ts';
import { defineRoute } from '../../define.ts';
import { TestTokenInput } from './test-token-body.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.token-issue',
  title: 'Issue a test token',
  description:
    'A test feature, on servers without remote access: an access token that is wrong on purpose, to test what verifies tokens. It is signed with the key of the server unless the request says otherwise, and differs from a normal token only in what the request names. A token of a user belongs to a new session. This server accepts it only if all its claims are valid, with the roles that the store grants; requests with it are marked in the request log.',
  method: 'POST',
  path: '/tokens',
  audit: { kind: 'administration', targets: { response: ['userId', 'sessionId', 'clientId'] } },
  request: { body: TestTokenInput },
  response: {
    status: 201,
    body: z.strictObject({
      accessToken: sensitive(z.string(), 'secret').meta({ examples: ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.'] }),
      claims: z.record(z.string(), z.unknown()).meta({ examples: [{ sub: 'alice', aud: 'https://other.example' }] }),
      clientId: exampleText('web-app'),
      userId: optionalText('alice', 'Absent for a client'),
      sessionId: optionalText('64b0c0ffee00000000000003', 'Absent for a client'),
    }),
  },
  errors: ['TEST_FEATURES_OFF', 'FIELD_VALUE', 'USER_NOT_FOUND', 'USER_LOCKED', 'CLIENT_NOT_FOUND', 'TOKEN_TOO_LONG'],
  openapiExamples: { body: { for: 'alice', claims: { aud: 'https://other.example' } } },

  async handle({ body }, context) {
    return issueTestToken(body, context);
  },
});
