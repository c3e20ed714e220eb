/** POST /oauth2/device_authorization (RFC 8628, 3.1) */
import * as z from 'zod';
import { apiError } from '../../contract/errors.ts';
import { deviceGrantType } from '../../contract/grant-types.ts';
import { exampleText, textUpTo } from '../../contract/schemas/primitives.ts';
import { sensitive } from '../../contract/sensitive.ts';
import { issueDeviceCodes } from '../auth/codes/device-codes.ts';
import { tokenParameters } from '../auth/token-form.ts';
import { explainLoginRefusal, takesPartInLogins } from '../directory/login-approval.ts';
import { defineOperation } from '../operations/define.ts';
import { readResources, splitScopes } from './authorization-request.ts';
import { device } from './device.ts';
import { authenticateEndpointClient, endpointClientErrors, endpointTraits } from './endpoint-client.ts';

const { client_id, client_secret, resource } = tokenParameters;

export const deviceAuthorization = defineOperation({
  ...endpointTraits,
  id: 'oauth2.device-authorization',
  title: 'Start the login of a device (OAuth 2.0)',
  description:
    'Device authorization (RFC 8628) for devices without a browser. The client authenticates as at the token endpoint, shows the user code to its user, and polls POST /oauth2/token with the device code until the user has decided. Errors have the format of RFC 6749.',
  path: '/oauth2/device_authorization',
  request: {
    body: z
      .object({
        ...{ client_id, client_secret, resource },
        scope: textUpTo(4000)
          .optional()
          .describe('Scopes separated by spaces: of OpenID Connect, roles, and of the client'),
      })
      .meta({ id: 'DeviceAuthorizationForm' }),
    form: true,
    repeatable: ['resource'],
    clientInBody: true,
  },
  response: {
    status: 200,
    body: z
      .strictObject({
        device_code: sensitive(exampleText('ZGV2aWNlLWNvZGU'), 'one-time'),
        user_code: sensitive(exampleText('BCDF-GHJK'), 'one-time'),
        verification_uri: exampleText('http://127.0.0.1:8080/oauth2/device'),
        verification_uri_complete: sensitive(
          exampleText('http://127.0.0.1:8080/oauth2/device?user_code=BCDF-GHJK'),
          'one-time',
        ),
        expires_in: z.number().meta({ examples: [600] }),
        interval: z.number().meta({ examples: [5] }),
      })
      .meta({ id: 'DeviceAuthorization', description: 'Device authorization response of RFC 8628, 3.2.' }),
    secret: true,
  },
  identifies: ['client_id'],
  errors: [...endpointClientErrors, 'GRANT_TYPE_NOT_ALLOWED', 'SCOPE_EXCEEDED', 'TARGET_INVALID'],
  openapiExamples: { body: { client_id: 'tv', scope: 'openid' } },

  async handle({ body }, context) {
    const { client } = await authenticateEndpointClient(context, body);
    if (!takesPartInLogins(client, deviceGrantType))
      throw apiError('GRANT_TYPE_NOT_ALLOWED', explainLoginRefusal(client, deviceGrantType));
    const { openidScopes, scope, isExceeded } = splitScopes(body.scope, client);
    if (isExceeded) throw apiError('SCOPE_EXCEEDED');
    const { resources, isForeign } = readResources(context, client, [body.resource ?? []].flat());
    if (isForeign) throw apiError('TARGET_INVALID');
    const grant = { client, openidScopes, scope, resources };
    const { deviceCode, userCode, expiresIn, interval } = await issueDeviceCodes(context, grant);
    const uri = `${context.baseUrl}${device.path}`;
    return {
      ...{ device_code: deviceCode, user_code: userCode, verification_uri: uri },
      ...{ verification_uri_complete: `${uri}?user_code=${userCode}`, expires_in: expiresIn, interval },
    };
  },
});
