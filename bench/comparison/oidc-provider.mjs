/** oidc-provider with its store in memory: signed access tokens of one client, ES256 as here. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { announce } from './announce.mjs';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const api = { scope: 'api', audience: 'api', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } };
const provider = new Provider('http://127.0.0.1', {
  jwks: { keys: [{ ...key, use: 'sig', alg: 'ES256', kid: 'key' }] },
  clients: [
    {
      client_id: 'bench',
      client_secret: 'a-secret-for-benchmarks-only',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  scopes: ['api'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:api',
      getResourceServerInfo: () => api,
    },
  },
});
announce(createServer(provider.callback()).listen(0, '127.0.0.1'));
