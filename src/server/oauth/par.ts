/** POST /oauth2/par, and the requests that it stores for the authorization endpoint (RFC 9126). */
import * as z from 'zod';
import { apiError } from '../../contract/errors.ts';
import { exampleText, textUpTo } from '../../contract/schemas/primitives.ts';
import { sensitive } from '../../contract/sensitive.ts';
import { assertLoginsKept, explainLoginRefusal, takesPartInLogins } from '../directory/login-approval.ts';
import { derive } from '../lib/derive.ts';
import { defineOperation } from '../operations/define.ts';
import type { OperationContext } from '../request-context.ts';
import { consumeOneTimeToken, issueOneTimeToken } from '../tokens/one-time-tokens.ts';
import {
  type AuthorizationParameters,
  authorizationForm,
  authorizationQuery,
  fromQuery,
  readAuthorizationRequest,
  readForm,
} from './authorization-request.ts';
import { authenticateEndpointClient, endpointClientErrors, endpointTraits } from './endpoint-client.ts';
import { createInvalidPage } from './pages/message-page.ts';

const referencePrefix = 'urn:ietf:params:oauth:request_uri:';

export const par = defineOperation({
  ...endpointTraits,
  id: 'oauth2.par',
  title: 'Push an authorization request (OAuth 2.0)',
  description:
    'Pushed authorization requests (RFC 9126). A client authenticates as at the token endpoint, and sends the parameters of GET /oauth2/authorize, which are validated at once. It sends the browser to that endpoint with its client_id and the request_uri of the response, which is valid once. Errors have the format of RFC 6749.',
  path: '/oauth2/par',
  status: [201, 400, 401, 429, 500],
  request: {
    body: z
      .object({ ...authorizationForm, client_secret: sensitive(textUpTo(1000), 'secret').optional() })
      .meta({ id: 'PushedAuthorizationForm' }),
    form: true,
    repeatable: Object.keys(authorizationQuery),
    clientInBody: true,
  },
  response: {
    status: 201,
    body: z
      .strictObject({
        request_uri: sensitive(exampleText(`${referencePrefix}6esc_11ACC5bwc014ltc14eY22c`), 'one-time'),
        expires_in: z.number().meta({ examples: [60] }),
      })
      .meta({ id: 'PushedAuthorization' }),
    secret: true,
  },
  identifies: ['client_id'],
  errors: [
    ...endpointClientErrors,
    'AUTHORIZATION_INVALID',
    'GRANT_TYPE_NOT_ALLOWED',
    'SCOPE_EXCEEDED',
    'TARGET_INVALID',
  ],
  openapiExamples: {
    body: {
      ...{ client_id: 'web', client_secret: 'only-for-this-machine', response_type: 'code', scope: 'openid' },
      redirect_uri: 'https://app.example.com/callback',
    },
  },

  async handle({ body: { client_secret: secret, ...form } }, context) {
    const given = readForm(form);
    const [clientId, ...others] = given.client_id ?? [];
    if (others.length > 0) throw apiError('AUTHORIZATION_INVALID', 'client_id is given more than once.');
    const { client } = await authenticateEndpointClient(context, { client_id: clientId, client_secret: secret });
    if (!takesPartInLogins(client)) throw apiError('GRANT_TYPE_NOT_ALLOWED', explainLoginRefusal(client));
    // The client authenticated, which the reader of requests of browsers does not know.
    const reader = derive(context, { recordCaller: () => undefined });
    const request = await readAuthorizationRequest(reader, { ...given, client_id: [client.clientId] });
    const row = {
      kind: 'pushed-request',
      clientId: client.clientId,
      pushedRequest: context.storeSecret.seal(request.query),
    } as const;
    const { value, expiresIn } = await context.store.transaction(async (tx) => {
      await assertLoginsKept(tx, client);
      return issueOneTimeToken(tx, row, context);
    });
    return { request_uri: `${referencePrefix}${value}`, expires_in: Number(expiresIn) };
  },
});

/**
 * The parameters that the application pushed, in place of those beside the reference (RFC 9126, 4); undefined without one.
 * @throws PageError for a reference that is unknown, expired, used, or of another client.
 */
export async function resolvePushedRequest(
  { store, clock, storeSecret }: OperationContext,
  given: AuthorizationParameters,
): Promise<AuthorizationParameters | undefined> {
  const [reference, ...others] = given.request_uri ?? [];
  if (!reference?.startsWith(referencePrefix) || others.length > 0) return undefined;
  const value = reference.slice(referencePrefix.length);
  const row = await store.transaction((tx) => consumeOneTimeToken(tx, 'pushed-request', value, clock));
  const query = storeSecret.open(row?.pushedRequest ?? '');
  if (query === undefined || given.client_id?.length !== 1 || given.client_id[0] !== row?.clientId) {
    throw createInvalidPage(
      'login',
      'The request of the application was used, has expired, or belongs to another application.',
    );
  }
  return fromQuery(query);
}
