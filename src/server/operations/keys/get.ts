import * as z from 'zod';
import { exampleText, optionalText } from '../../../contract/schemas/primitives.ts';
import { defineOperation } from '../define.ts';

const Jwk = z
  .strictObject({
    kty: exampleText('EC'),
    kid: exampleText('2026-03-01-standin'),
    alg: exampleText('ES256'),
    use: z.literal('sig'),
    crv: optionalText('P-256'),
    x: optionalText('f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'),
    y: optionalText('x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'),
    n: optionalText(
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs',
    ),
    e: optionalText('AQAB'),
  })
  .meta({ id: 'Jwk', description: 'A public key (RFC 7517).' });

export default defineOperation({
  id: 'keys.get',
  title: 'Get the public keys for verifying tokens',
  description:
    'Returns the public keys as a JWK Set, the current key first. With Accept: application/x-pem-file, returns the current key as PEM.',
  method: 'GET',
  path: '/keys',
  auth: 'none',
  roles: 'none',
  audit: { kind: 'read', targets: {} },
  status: [200, 500],
  request: {},
  response: { status: 200, body: z.strictObject({ keys: z.array(Jwk) }), alternatives: ['application/x-pem-file'] },
  identifies: [],
  errors: [],
  command: 'keys',
  cliExamples: [{ title: 'The JWK Set', command: '-o json' }],
  openapiExamples: {
    response: {
      keys: [
        {
          kty: 'EC',
          kid: 'standin-1',
          alg: 'ES256',
          use: 'sig',
          crv: 'P-256',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
        },
      ],
    },
  },

  async handle({ accept }, { keys }) {
    if (accept.includes('application/x-pem-file'))
      return { contentType: 'application/x-pem-file', text: await keys.currentPem() };
    await keys.tryRefresh();
    return { keys: keys.publicKeys() as z.input<typeof Jwk>[] };
  },
});
