/** The request of a test token. */
import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { Id, singleLine } from '../../../../contract/schemas/primitives.ts';
import {
  fixedClaims,
  maxTestTokenLifetime,
  omittableClaims,
  testTokenAlgorithms,
  testTokenSignatures,
} from '../../../../contract/testing/test-tokens.ts';
import { signInLevels } from '../../../auth/sign-in.ts';

const range = `must be from -${maxTestTokenLifetime} to ${maxTestTokenLifetime}`;
const Seconds = z.int().min(-maxTestTokenLifetime, range).max(maxTestTokenLifetime, range);

export const TestTokenInput = z.strictObject({
  for: singleLine(320, 'A user, by id or login name, or a client, by id or service account').meta({
    examples: ['alice'],
    ...reference('user', ['name']),
  }),
  clientId: Id.optional().meta({
    description: 'For a user: the client to sign in through; default: the application client of the server',
    examples: ['billing-service'],
    ...reference('client', ['id']),
  }),
  level: z.enum(signInLevels).optional().describe('For a user: authentication level, default AUTH-BASIC'),
  claims: z
    .record(z.string(), z.unknown())
    .superRefine((claims, context) => {
      for (const name of Object.keys(claims).filter((each) => fixedClaims.includes(each)))
        context.addIssue({ code: 'custom', path: [name], message: 'must be absent: the server sets it' });
    })
    .optional()
    .meta({
      description: `Claims that replace those of the token or add to them; all but ${fixedClaims.join(', ')}`,
      examples: [{ aud: 'https://other.example' }],
    }),
  omit: z
    .array(z.enum(omittableClaims))
    .max(omittableClaims.length, 'has too many items')
    .optional()
    .meta({ description: 'Claims that the token lacks', examples: [['sub']] }),
  expiresIn: Seconds.optional().meta({
    description: 'Seconds until it expires, at most a day; negative if it has expired',
    examples: [-60],
  }),
  notBefore: Seconds.optional().meta({
    description: 'Seconds until it becomes valid (nbf); default: it has no nbf',
    examples: [600],
  }),
  alg: z
    .enum(testTokenAlgorithms)
    .optional()
    .describe(
      'Algorithm in the header; none: no signature; HS256: keyed with the public key (PEM); one that the server does not use: signed with a new key',
    ),
  kid: singleLine(200, 'Key id in the header')
    .optional()
    .meta({ examples: ['unknown'] }),
  signature: z
    .enum(testTokenSignatures)
    .optional()
    .describe('broken: one bit differs; wrong-key: signed with a new key, under the id of the key of the server'),
});
