/** The request of a test token. */
import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { Id, singleLine } from '../../../../contract/schemas/primitives.ts';
import { signInLevels } from '../../../../contract/testing/sign-in-levels.ts';
import {
  fixedClaims,
  maxTestTokenLifetime,
  omittableClaims,
  testTokenAlgorithms,
  testTokenSignatures,
} from '../../../../contract/testing/test-tokens.ts';

const range = `must be from -${maxTestTokenLifetime} to ${maxTestTokenLifetime}`;
const Seconds = z.int().min(-maxTestTokenLifetime, range).max(maxTestTokenLifetime, range);

const TestTokenFields = {
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
  typ: singleLine(100, 'Type in the header; default: at+jwt (RFC 9068)')
    .optional()
    .meta({ examples: ['JWT'] }),
  signature: z
    .enum(testTokenSignatures)
    .optional()
    .describe('broken: one bit differs; wrong-key: signed with a new key, under the id of the key of the server'),
};

export const TestTokenInput = z.strictObject(TestTokenFields).superRefine((input, context) => {
  for (const [field, message] of listContradictions(input))
    context.addIssue({ code: 'custom', path: [field], message });
});

/** Fields of which one would have no effect, with the reason. */
function listContradictions(input: z.output<z.ZodObject<typeof TestTokenFields>>): [field: string, message: string][] {
  const { claims = {}, omit = [], expiresIn, notBefore, alg, signature } = input;
  const isSet = (claim: string) => claim in claims || omit.some((name) => name === claim);
  return [
    ...omit
      .filter((name) => name in claims)
      .map((name): [string, string] => ['omit', `must not have ${name}, which claims has`]),
    ...(expiresIn !== undefined && isSet('exp') ? [pair('expiresIn', 'exp')] : []),
    ...(notBefore !== undefined && isSet('nbf') ? [pair('notBefore', 'nbf')] : []),
    ...(alg === 'none' && signature !== undefined
      ? [['signature', 'must be absent: none has no signature'] as [string, string]]
      : []),
    ...(alg === 'HS256' && signature === 'wrong-key'
      ? [['signature', 'must not be wrong-key: HS256 has another key'] as [string, string]]
      : []),
  ];
}

function pair(field: string, claim: string): [string, string] {
  return [field, `must be absent: claims or omit has ${claim}`];
}
