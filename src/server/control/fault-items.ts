/** Faults on purpose as they are asked for and shown. */
import * as z from 'zod';
import { Id } from '../../contract/schemas.ts';
import { findErrorCode } from '../observability/fault-injector.ts';
import type { FaultEffect, FaultRule, FaultRuleInput } from '../observability/fault-rules.ts';
import { operations } from '../operations/index.ts';

const maxMs = 60_000;
const operationIds = new Set(Object.keys(operations));

const Duration = z
  .string()
  .regex(/^\d{1,5}(ms|s)$/, 'must be a time such as 200ms or 2s')
  .refine((text) => parseMilliseconds(text) <= maxMs, 'must be at most 60s');

const EffectFields = {
  status: z.int().min(400, 'must be from 400 to 599').max(599, 'must be from 400 to 599').optional(),
  latency: Duration.optional(),
  jitter: Duration.optional(),
  drop: z.enum(['before', 'after']).optional(),
  rotateKey: z.literal(true).optional(),
  staleKeys: z.literal(true).optional(),
};

const EffectSchema = z
  .strictObject(EffectFields)
  .refine(isSingleEffect, 'must be one of status, latency (with jitter or without), drop, rotateKey and staleKeys')
  .describe(
    'One of: status (a failure that the operation documents), latency with or without jitter (200ms, 2s; at most 60s), drop (the connection ends before the operation begins, or after what it wrote is kept), rotateKey: true (a new signing key, before the answer goes out), staleKeys: true (/.well-known/jwks.json gives the keys that were there before the last rotation)',
  );

const RuleFields = {
  operation: z
    .string()
    .refine((id) => operationIds.has(id), 'must be the id of an operation, such as groups.create')
    .optional()
    .describe('Only calls of this operation, such as groups.create'),
  caller: Id.optional().describe('Only calls by the client or the user of this id'),
  nth: z.int().min(1, 'must be at least 1').optional().describe('Only this one of the calls that match, from 1'),
  every: z.int().min(1, 'must be at least 1').optional().describe('One of so many calls that match'),
  probability: z
    .number()
    .min(0, 'must be from 0 to 1')
    .max(1, 'must be from 0 to 1')
    .optional()
    .describe(
      'How likely each call that matches is disturbed, from 0 to 1; the same calls each time for the same seed',
    ),
  seed: z
    .int()
    .min(0, 'must not be negative')
    .optional()
    .describe('Where chance begins, for probability and jitter; 1 where missing'),
  times: z.int().min(1, 'must be at least 1').optional().describe('Disturbs so many calls at most'),
};

export const FaultInput = z
  .strictObject({ ...RuleFields, effect: EffectSchema })
  .refine(
    ({ nth, every, probability }) => countDefined([nth, every, probability]) <= 1,
    'must have one of nth, every and probability at most',
  )
  .refine(
    ({ operation, caller, effect }) => effect.staleKeys === undefined || countDefined([operation, caller]) === 0,
    'must have no operation and no caller beside staleKeys: the key set is fetched by anybody, and by no operation',
  )
  .refine(isDocumented, 'must have a status that the operation documents');

type FaultBody = z.output<typeof FaultInput>;

export const FaultItem = z.strictObject({
  id: z.string(),
  ...RuleFields,
  effect: z.strictObject(EffectFields),
  matched: z.int().describe('Calls that matched'),
  applied: z.int().describe('Calls that were disturbed'),
});

function countDefined(values: readonly unknown[]): number {
  return values.filter((value) => value !== undefined).length;
}

function isSingleEffect({
  status,
  latency,
  jitter,
  drop,
  rotateKey,
  staleKeys,
}: z.output<z.ZodObject<typeof EffectFields>>): boolean {
  return (
    countDefined([status, latency, drop, rotateKey, staleKeys]) === 1 && (jitter === undefined || latency !== undefined)
  );
}

/** Without an operation, those that document the status are meant. */
function isDocumented({
  operation: id,
  effect: { status },
}: {
  operation?: string | undefined;
  effect: { status?: number | undefined };
}): boolean {
  if (status === undefined) return true;
  const all = Object.values(operations);
  const meant = id === undefined ? all : all.filter((operation) => operation.id === id);
  return meant.some((operation) => findErrorCode(status, operation) !== undefined);
}

/** What the body of a call says, in the words of the server. */
export function parseFaultRule({ effect, ...rule }: FaultBody): FaultRuleInput {
  const { latency, jitter, ...others } = effect;
  return { ...rule, effect: { ...others, ...parseTimes({ latency, jitter }) } };
}

function parseTimes(times: Readonly<Record<'latency' | 'jitter', string | undefined>>): FaultEffect {
  const entries = Object.entries(times).filter(([, text]) => text !== undefined);
  return Object.fromEntries(entries.map(([name, text]) => [name, parseMilliseconds(text ?? '')]));
}

export function toFaultItem({ effect, ...rule }: FaultRule): z.input<typeof FaultItem> {
  const { latency, jitter, rotateKey, staleKeys, ...others } = effect;
  return {
    ...rule,
    effect: {
      ...others,
      ...(latency === undefined ? {} : { latency: `${latency}ms` }),
      ...(jitter === undefined ? {} : { jitter: `${jitter}ms` }),
      ...(rotateKey === true ? { rotateKey } : {}),
      ...(staleKeys === true ? { staleKeys } : {}),
    },
  };
}

function parseMilliseconds(text: string): number {
  return Number.parseInt(text, 10) * (text.endsWith('ms') ? 1 : 1000);
}
