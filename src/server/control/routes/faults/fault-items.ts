/** Request and response schemas of injected faults. */
import * as z from 'zod';
import { apiError } from '../../../../contract/errors.ts';
import { exampleInt, exampleText, Id } from '../../../../contract/schemas/primitives.ts';
import { type FaultInjector, listInjectableStatuses } from '../../../fault-injection/fault-injector.ts';
import type { FaultEffect, FaultRule, FaultRuleInput } from '../../../fault-injection/fault-rules.ts';
import { isOperationId, operationIdMessage, recordedOperations } from '../../operation-ids.ts';

const maxMs = 60_000;

const Duration = z
  .string()
  .regex(/^\d{1,5}(ms|s)$/, 'must be a time such as 200ms or 2s')
  .refine((text) => parseMilliseconds(text) <= maxMs, 'must be at most 60s');

const EffectFields = {
  status: z
    .int()
    .min(400, 'must be from 400 to 599')
    .max(599, 'must be from 400 to 599')
    .optional()
    .meta({ examples: [503] }),
  latency: Duration.optional().meta({ examples: ['200ms'] }),
  jitter: Duration.optional().meta({ examples: ['50ms'] }),
  drop: z.enum(['before', 'after']).optional(),
  rotateKey: z.literal(true).optional(),
  staleKeys: z.literal(true).optional(),
};

const EffectSchema = z
  .strictObject(EffectFields)
  .refine(isSingleEffect, 'must be one of status, latency (with jitter or without), drop, rotateKey and staleKeys')
  .describe(
    'One of: status (an error that the operation documents), latency with optional jitter (200ms, 2s; at most 60s), drop (close the connection before the operation starts, or after its changes are committed), rotateKey: true (rotate the signing key before the response is sent), staleKeys: true (/.well-known/jwks.json returns the keys from before the last rotation)',
  );

const RuleFields = {
  operation: z
    .string()
    .refine(isOperationId, operationIdMessage)
    .optional()
    .meta({ description: 'Only requests to this operation, such as groups.create', examples: ['groups.get'] }),
  caller: Id.optional().meta({
    description: 'Only requests of the client or user with this id',
    examples: ['billing-service'],
  }),
  nth: z.int().min(1, 'must be at least 1').optional().describe('Only the nth matching request, from 1'),
  every: z
    .int()
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: 'Every nth matching request', examples: [3] }),
  probability: z
    .number()
    .min(0, 'must be from 0 to 1')
    .max(1, 'must be from 0 to 1')
    .optional()
    .describe('Probability that a matching request is affected, from 0 to 1; the same requests for the same seed'),
  seed: z
    .int()
    .min(0, 'must not be negative')
    .optional()
    .meta({ description: 'Seed of the random numbers for probability and jitter; default 1', examples: [7] }),
  times: z.int().min(1, 'must be at least 1').optional().describe('Max number of affected requests'),
};

export const FaultInput = z
  .strictObject({ ...RuleFields, effect: EffectSchema })
  .refine(
    ({ nth, every, probability }) => countDefined([nth, every, probability]) <= 1,
    'must have at most one of nth, every and probability',
  )
  .refine(
    ({ operation, caller, effect }) => effect.staleKeys === undefined || countDefined([operation, caller]) === 0,
    'must have neither operation nor caller with staleKeys: fetching the key set is not an operation and needs no caller',
  )
  .superRefine(({ operation, effect: { status } }, context) => {
    const statuses = listInjectableStatuses(selectOperations(operation));
    if (status === undefined || statuses.includes(status)) return;
    const subject = operation ?? 'an operation';
    const message = `must be a status that ${subject} can return: ${statuses.join(', ')}`;
    context.addIssue({ code: 'custom', path: ['effect', 'status'], message });
  });

type FaultBody = z.output<typeof FaultInput>;

export const FaultItem = z.strictObject({
  id: exampleText('64b0c0ffee00000000000001'),
  ...RuleFields,
  effect: z.strictObject(EffectFields),
  matched: exampleInt(3, 'Requests that matched'),
  applied: exampleInt(1, 'Requests that were affected'),
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

/** Without an operation, the rule applies to operations that document the status. */
function selectOperations(id: string | undefined) {
  return id === undefined ? recordedOperations : recordedOperations.filter((operation) => operation.id === id);
}

/** @throws IamError FAULT_NOT_FOUND. */
export function removeFault(faults: FaultInjector, id: string): void {
  if (!faults.remove(id)) throw apiError('FAULT_NOT_FOUND');
}

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
