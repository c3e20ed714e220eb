import * as z from 'zod';
import { defineOperation } from '../define.ts';

const Jwk = z
  .strictObject({
    kty: z.string().meta({ examples: ['EC'] }),
    kid: z.string().meta({ examples: ['2026-03-01-standin'] }),
    alg: z.string().meta({ examples: ['ES256'] }),
    use: z.literal('sig'),
    crv: z
      .string()
      .optional()
      .meta({ examples: ['P-256'] }),
    x: z
      .string()
      .optional()
      .meta({ examples: ['f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'] }),
    y: z
      .string()
      .optional()
      .meta({ examples: ['x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'] }),
    n: z
      .string()
      .optional()
      .meta({
        examples: [
          '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs',
        ],
      }),
    e: z
      .string()
      .optional()
      .meta({ examples: ['AQAB'] }),
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
    return { keys: keys.publicKeys() as z.input<typeof Jwk>[] };
  },
});
